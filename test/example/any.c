/* SPDX-License-Identifier: MIT */
#include <furwock/any.h>
#include <furwock/event.h>
#include <furwock/sem.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

int next_item(void);

#include "any_example.h"

/* One thread takes items; it is told to stop when all are taken. */

enum { ITEMS = 1000 };

static int taken;

static void *take(void *unused)
{
    while (next_item())
        __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
    return unused;
}

int main(void)
{
    static fw_sem nothing;
    static const fw_any only[] = {{FW_ANY_SEM, &nothing}};
    fw_deadline past = {{0, 0}, CLOCK_MONOTONIC};
    pthread_t thread;

    if (pthread_create(&thread, NULL, take, NULL) != 0)
        return EXIT_FAILURE;
    for (int i = 0; i < ITEMS; i++)
        fw_sem_post(&items);
    while (__atomic_load_n(&taken, __ATOMIC_RELAXED) < ITEMS)
        if (fw_wait_any(only, 1, &past, NULL) != ETIMEDOUT)
            return EXIT_FAILURE;
    fw_event_set(&stop);
    pthread_join(thread, NULL);
    return taken == ITEMS ? EXIT_SUCCESS : EXIT_FAILURE;
}
