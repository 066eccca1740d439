/* SPDX-License-Identifier: MIT */
/*
 * Two threads on one CPU that wake each other in turn: pair CPU WAITS.  Each wait is a sleep in a
 * futex call, with one wake-up and one switch.  Begins when a line comes on standard input, and
 * prints the CPU time of a wait in ns.
 */
#include <furwock/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct {
    _Alignas(64) uint32_t turn;
} words[2];

static long waits;

static void pass_on(uint32_t *word)
{
    __atomic_store_n(word, 1, __ATOMIC_RELEASE);
    fw_futex_wake(word, 1, FW_FUTEX_PRIVATE);
}

static void await_turn(uint32_t *word)
{
    while (__atomic_exchange_n(word, 0, __ATOMIC_ACQUIRE) == 0)
        fw_futex_wait(word, 0, FW_FUTEX_PRIVATE, NULL);
}

static void *other(void *nothing)
{
    for (long i = 0; i < waits; i++) {
        await_turn(&words[0].turn);
        pass_on(&words[1].turn);
    }
    return nothing;
}

static double cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    cpu_set_t cpus;
    pthread_t thread;

    if (argc != 3 || (waits = atol(argv[2]) / 2) <= 0) {
        fprintf(stderr, "usage: pair CPU WAITS\n");
        return 2;
    }
    CPU_ZERO(&cpus);
    CPU_SET((size_t)atoi(argv[1]), &cpus);
    if (sched_setaffinity(0, sizeof cpus, &cpus) != 0 ||
        pthread_create(&thread, NULL, other, NULL) != 0) {
        perror("pair");
        return 1;
    }
    getchar();
    double began = cpu_ns();
    for (long i = 0; i < waits; i++) {
        pass_on(&words[0].turn);
        await_turn(&words[1].turn);
    }
    printf("%.1f\n", (cpu_ns() - began) / (double)waits / 2);
    pthread_join(thread, NULL);
    return 0;
}
