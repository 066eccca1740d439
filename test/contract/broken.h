/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_CONTRACT_BROKEN_H
#define FW_TEST_CONTRACT_BROKEN_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "bench/adapters/adapter_define.h"
#include "measure/clock.h"

/*
 * What their waiters do again and again: they leave the CPUs to other tests for most of the time.
 * Not a cancellation point.
 */
static inline void doze(void)
{
    int before;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    usleep(20);
    pthread_setcancelstate(before, &before);
}

/* A lock that works, to break: test and set. */
struct base {
    uint32_t taken;
    uint32_t aside; /* within the lock's size, but not needed by it */
};

static inline bool take(struct base *l)
{
    return __atomic_exchange_n(&l->taken, 1, __ATOMIC_ACQUIRE) == 0;
}

static inline void acquire(struct base *l)
{
    while (!take(l))
        doze();
}

static inline void release(struct base *l)
{
    __atomic_store_n(&l->taken, 0, __ATOMIC_RELEASE);
}

static inline bool is_over(const struct timespec *at)
{
    struct timespec now = clock_in_ns(0);

    return now.tv_sec > at->tv_sec || (now.tv_sec == at->tv_sec && now.tv_nsec >= at->tv_nsec);
}

static inline int take_until(struct base *l, const struct timespec *at)
{
    while (!take(l)) {
        if (is_over(at))
            return ETIMEDOUT;
        sched_yield();
    }
    return 0;
}

/* One in eight who count here is never heard of again. */
static inline void oversleep(uint32_t *count)
{
    if (__atomic_fetch_add(count, 1, __ATOMIC_RELAXED) % 8 == 7)
        for (;;)
            clock_sleep_ns(1000000000);
}

/* For the objects that are no lock. */
static inline uint32_t look(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline bool change(uint32_t *word, uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static inline void touch(uint32_t *word)
{
    sched_yield();
    __atomic_store_n(word, 1, __ATOMIC_RELAXED);
}

#endif
