/* SPDX-License-Identifier: MIT */
/*
 * What a pair of lock and unlock takes where nobody contends, for tools/checkers:
 *
 *     pairs DEPTH ROUNDS     DEPTH locks within each other; prints ns for each pair, the least of
 *                            the rounds
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 16, PAIRS = 20000 };

static pthread_mutex_t locks[MOST];

static void *nothing(void *arg)
{
    return arg;
}

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void nest(int depth)
{
    for (int i = 0; i < depth; i++)
        pthread_mutex_lock(&locks[i]);
    for (int i = depth; i-- > 0;)
        pthread_mutex_unlock(&locks[i]);
}

int main(int argc, char **argv)
{
    int depth = argc > 1 ? atoi(argv[1]) : 1, rounds = argc > 2 ? atoi(argv[2]) : 20;
    double least = 1e18;
    pthread_t other;

    if (depth < 1 || depth > MOST)
        return 2;
    /* A process with one thread only is a special case for all. */
    if (pthread_create(&other, NULL, nothing, NULL) != 0 || pthread_join(other, NULL) != 0)
        return 2;
    for (int r = 0; r < rounds; r++) {
        double began = now_ns(), ns;

        for (int i = 0; i < PAIRS / depth; i++)
            nest(depth);
        ns = (now_ns() - began) / (PAIRS / depth * depth);
        if (ns < least)
            least = ns;
    }
    printf("%.2f\n", least);
    return 0;
}
