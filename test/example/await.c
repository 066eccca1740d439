/* SPDX-License-Identifier: MIT */
#include <furwock/await.h>

#include <pthread.h>
#include <stdlib.h>

struct job;
int hand_over(struct job *job, fw_loop *loop);

#include "await_example.h"

/* Two threads hand jobs over to the main thread's loop. */

enum { THREADS = 2, JOBS = 1000 };

static struct job jobs[THREADS][JOBS];
static fw_loop *loop;
static int counter;

static void *submit(void *mine)
{
    struct job *job = mine;

    for (int i = 0; i < JOBS; i++) {
        job[i].counter = &counter;
        if (hand_over(&job[i], loop) != 0)
            abort();
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    if (fw_loop_create(&loop, NULL) != 0)
        return EXIT_FAILURE;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, submit, jobs[i]) != 0)
            return EXIT_FAILURE;
    while (counter < THREADS * JOBS) {
        if (fw_loop_wait(loop, NULL) != 0)
            return EXIT_FAILURE;
        fw_loop_run(loop, 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return fw_loop_destroy(loop) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
