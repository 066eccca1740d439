/* SPDX-License-Identifier: MIT */
#include <furwock/barrier.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void compute(int me);

#include "barrier_example.h"

static void *run(void *me)
{
    compute(*(int *)me);
    return NULL;
}

int main(void)
{
    static int numbers[THREADS];
    pthread_t threads[THREADS];
    int wanted = THREADS * (THREADS + 1) / 2;

    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        if (pthread_create(&threads[i], NULL, run, &numbers[i]) != 0)
            return EXIT_FAILURE;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        if (second[i] != wanted)
            return EXIT_FAILURE;
    return EXIT_SUCCESS;
}
