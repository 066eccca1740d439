/* SPDX-License-Identifier: MIT */
#include <furwock/latch.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void *work(void *slot);
int sum_of_results(void);

#include "latch_example.h"

int main(void)
{
    pthread_t workers[WORKERS];
    int sum;

    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&workers[i], NULL, work, &results[i]) != 0)
            return EXIT_FAILURE;
    sum = sum_of_results();
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    printf("sum: %d\n", sum);
    return sum == 42 * WORKERS ? EXIT_SUCCESS : EXIT_FAILURE;
}
