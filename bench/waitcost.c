/* SPDX-License-Identifier: MIT */
/*
 * waitcost: what waiting costs on this machine, and what polling budget follows.
 *
 *     waitcost
 *
 * The reasoning is that of Gustedt, "Futex based locks for C11's generic atomics" (INRIA RR-8818,
 * 2015), section 3.2: polling pays as long as it costs no more than a needless sleep.  The paper's
 * quantities: t_fail, the larger of a failed futex wait and a switch from one thread to another; E,
 * how much of a CPU a polling thread gets while all CPUs poll.  Beside them: what a
 * sleep costs when the waker is on another CPU, which is the case that polling avoids.
 */
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <furwock/futex.h>

#include "measure/clock.h"

enum { SAMPLES = 31, FEW = 300, MANY = 20000, POLLS = 200000, MOST_CPUS = 64 };

static uint32_t ball;
static atomic_int arrived;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median of SAMPLES calls, in nanoseconds per operation. */
static double median(double (*sample)(void))
{
    double ns[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        ns[i] = sample();
    qsort(ns, SAMPLES, sizeof ns[0], ascending);
    return ns[SAMPLES / 2];
}

#define SAMPLE(name, n, operation)                 \
    static double name(void)                       \
    {                                              \
        uint64_t begin = clock_ns();               \
        for (int i = 0; i < (n); i++)              \
            operation;                             \
        return (double)(clock_ns() - begin) / (n); \
    }

SAMPLE(failed_wait, MANY, fw_futex_wait(&ball, 1, FW_FUTEX_PRIVATE, NULL))
SAMPLE(empty_wake, MANY, fw_futex_wake(&ball, 1, FW_FUTEX_PRIVATE))
SAMPLE(read_clock, MANY, clock_ns())
SAMPLE(fence, FEW, syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ, 0, 0))

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void play(uint32_t mine)
{
    for (int i = 0; i < FEW; i++) {
        while (__atomic_load_n(&ball, __ATOMIC_ACQUIRE) != mine)
            fw_futex_wait(&ball, !mine, FW_FUTEX_PRIVATE, NULL);
        __atomic_store_n(&ball, !mine, __ATOMIC_RELEASE);
        fw_futex_wake(&ball, 1, FW_FUTEX_PRIVATE);
    }
}

static void *player(void *cpu)
{
    pin((int)(intptr_t)cpu);
    play(1);
    return NULL;
}

/* A sleep, from the waker's store until the woken thread runs: half a round trip. */
static double handoff(int cpu)
{
    pthread_t other;
    uint64_t begin;

    pin(0);
    if (pthread_create(&other, NULL, player, (void *)(intptr_t)cpu) != 0)
        return 0;
    begin = clock_ns();
    play(0);
    pthread_join(other, NULL);
    return (double)(clock_ns() - begin) / (2 * FEW);
}

static double handoff_here(void)
{
    return handoff(0);
}

static double handoff_there(void)
{
    return handoff(1);
}

static volatile uint32_t polled;

static double poll_for_a_while(void)
{
    uint64_t begin = clock_ns();
    for (int i = 0; i < POLLS; i++)
        (void)polled;
    return (double)(clock_ns() - begin);
}

static void *poll_together(void *how_many)
{
    static double ns[MOST_CPUS];
    int me = atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < (int)(intptr_t)how_many)
        ;
    ns[me] = poll_for_a_while();
    return &ns[me];
}

/* E of section 3.2: the time of one poller alone over that of one per CPU. */
static double efficiency(int cpus)
{
    double alone = median(poll_for_a_while);
    double slowest = 0;
    pthread_t threads[MOST_CPUS];
    int n = 0;

    atomic_store(&arrived, 0);
    for (; n < cpus; n++)
        if (pthread_create(&threads[n], NULL, poll_together, (void *)(intptr_t)cpus) != 0)
            exit((perror("waitcost: pthread_create"), 1));
    while (n-- > 0) {
        void *ns;
        pthread_join(threads[n], &ns);
        if (*(double *)ns > slowest)
            slowest = *(double *)ns;
    }
    return alone / slowest;
}

int main(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    int cpus = online > MOST_CPUS ? MOST_CPUS : (int)online;
    double e = efficiency(cpus);
    double wait = median(failed_wait);
    double here = median(handoff_here);
    double there = cpus > 1 ? median(handoff_there) : here;
    double t_fail = wait > here ? wait : here;

    printf("futex wait that fails            %8.0f ns\n", wait);
    printf("futex wake of nobody             %8.0f ns\n", median(empty_wake));
    printf("reading the clock                %8.0f ns\n", median(read_clock));
    printf("hand-off on the same CPU   %8.0f ns\n", here);
    printf("hand-off to another CPU    %8.0f ns\n", there);
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ, 0, 0) == 0)
        printf("membarrier, others asleep        %8.0f ns\n", median(fence));
    printf("E of %2d pollers                  %8.2f\n", cpus, e);
    printf("budget, section 3.2: E * t_fail  %8.0f ns\n", e * t_fail);
    printf("budget, a sleep that is avoided  %8.0f ns\n", e * there);
    return 0;
}
