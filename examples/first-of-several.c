/* SPDX-License-Identifier: MIT */
/*
 * A worker that waits for the first of several things: a request, the order to stop, or the time to
 * write its statistics.  fw_wait_any, for semaphores, events and latches; a latch for the start.
 *
 *     $ cc -o first-of-several first-of-several.c $(pkg-config --cflags --libs furwock)
 *     $ ./first-of-several
 *     500 requests were served before the order to stop
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include <furwock.h>

enum { WORKERS = 2, REQUESTS = 500, INTERVAL = 10000000 /* ns */ };

static fw_sem requests = FW_SEM_INIT(0);
static fw_event stop = FW_EVENT_INIT;
static fw_latch are_ready = FW_LATCH_INIT(WORKERS);
static fw_sem served = FW_SEM_INIT(0);

static void *serve(void *arg)
{
    /* Of several that are ready the first one is taken: requests go before the order to stop. */
    const fw_any things[] = {{FW_ANY_SEM, &requests}, {FW_ANY_EVENT, &stop}};
    fw_deadline statistics = fw_deadline_after(CLOCK_MONOTONIC, INTERVAL);
    unsigned which;

    fw_latch_count_down(&are_ready, 1);
    for (;;) {
        int error = fw_wait_any(things, 2, &statistics, &which);

        if (error == ETIMEDOUT)
            statistics = fw_deadline_after(CLOCK_MONOTONIC, INTERVAL); /* and write them */
        else if (which == 0)
            fw_sem_post(&served);
        else
            return arg;
    }
}

int main(void)
{
    pthread_t workers[WORKERS];

    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, serve, NULL);
    fw_latch_wait(&are_ready);
    fw_sem_post_n(&requests, REQUESTS);
    fw_event_set(&stop); /* at once: what was asked for before is served */
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    printf("%u requests were served before the order to stop\n", fw_sem_value(&served));
    return fw_sem_value(&served) != REQUESTS;
}
