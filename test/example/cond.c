/* SPDX-License-Identifier: MIT */
#include <furwock/cond.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct queue;
void put(struct queue *q);
void get(struct queue *q);

#include "cond_example.h"

/* One thread puts, one gets. */

enum { TIMES = 100000 };

static struct queue shared = {.lock = FW_MUTEX_INIT, .not_empty = FW_COND_INIT};

static void *producer(void *arg)
{
    for (int i = 0; i < TIMES; i++)
        put(&shared);
    return arg;
}

int main(void)
{
    pthread_t other;

    if (pthread_create(&other, NULL, producer, NULL) != 0)
        return EXIT_FAILURE;
    for (int i = 0; i < TIMES; i++)
        get(&shared);
    pthread_join(other, NULL);
    printf("left in the queue: %u\n", shared.length);
    return shared.length == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
