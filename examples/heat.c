/* SPDX-License-Identifier: MIT */
/*
 * A parallel computation in steps: the heat in a rod, each thread a part of it.  In each step every
 * cell becomes the mean of its neighbours in the step before, so no thread may begin a step before
 * all have finished the last one: fw_barrier.
 *
 *     $ cc -O2 -o heat heat.c $(pkg-config --cflags --libs furwock)
 *     $ ./heat
 *     after 2000 steps: the same as with one thread
 *
 * A thread arrives as soon as its two outermost cells are done, which are all that others need of
 * it; it computes the rest while they go on, and only then waits: two calls.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <furwock/barrier.h>

enum { THREADS = 4, CELLS = 1024, STEPS = 2000, PART = CELLS / THREADS };

static double rod[2][CELLS + 2], alone[2][CELLS + 2];
static fw_barrier step = FW_BARRIER_INIT(THREADS);

static void compute(const double *old, double *new, int from, int to)
{
    for (int i = from; i < to; i++)
        new[i] = (old[i - 1] + old[i + 1]) / 2;
}

static void *work(void *part)
{
    int first = 1 + (int)(intptr_t)part * PART, last = first + PART - 1;

    for (int s = 0; s < STEPS; s++) {
        const double *old = rod[s % 2];
        double *new = rod[1 - s % 2];
        uint32_t phase;

        compute(old, new, first, first + 1);
        compute(old, new, last, last + 1);
        phase = fw_barrier_arrive(&step); /* the neighbours may read the edges, and go on */
        compute(old, new, first + 1, last);
        fw_barrier_await(&step, phase);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < 2; i++)
        rod[i][0] = alone[i][0] = 100; /* one end is kept hot, the other one cold */
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int s = 0; s < STEPS; s++)
        compute(alone[s % 2], alone[1 - s % 2], 1, CELLS + 1);
    printf("after %d steps: %s with one thread\n", STEPS,
           memcmp(rod[STEPS % 2], alone[STEPS % 2], sizeof rod[0]) == 0 ? "the same as"
                                                                        : "not the same as");
    return 0;
}
