/* SPDX-License-Identifier: MIT */
#include <furwock/sem.h>

#include <pthread.h>
#include <stdlib.h>

void with_a_slot(void (*work)(void *), void *arg);

#include "sem_example.h"

/* Ten threads, and never more than four at work. */

enum { THREADS = 10, TIMES = 2000 };

static int at_work, done;

static void work(void *unused)
{
    (void)unused;
    if (__atomic_add_fetch(&at_work, 1, __ATOMIC_RELAXED) > 4)
        abort();
    __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&at_work, 1, __ATOMIC_RELAXED);
}

static void *visit(void *unused)
{
    for (int i = 0; i < TIMES; i++)
        with_a_slot(work, NULL);
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, visit, NULL) != 0)
            return EXIT_FAILURE;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return done == THREADS * TIMES && fw_sem_value(&slots) == 4 ? EXIT_SUCCESS : EXIT_FAILURE;
}
