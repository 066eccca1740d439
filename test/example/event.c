/* SPDX-License-Identifier: MIT */
#include <furwock/event.h>

#include <pthread.h>
#include <stdlib.h>

void ask_for_one_more(void);
void work_until(int n);

#include "event_example.h"

/* Three threads ask, the main thread works until all that was asked for is done. */

enum { THREADS = 3, TIMES = 10000 };

static void *ask(void *unused)
{
    for (int i = 0; i < TIMES; i++)
        ask_for_one_more();
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, ask, NULL) != 0)
            return EXIT_FAILURE;
    work_until(THREADS * TIMES);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return done == THREADS * TIMES ? EXIT_SUCCESS : EXIT_FAILURE;
}
