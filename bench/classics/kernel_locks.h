/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_KERNEL_LOCKS_H
#define FW_CLASSICS_KERNEL_LOCKS_H

#include <furwock/bits/self.h>

#include "word.h"

/*
 * The two locks whose word the kernel changes as well; furwock.ko has the other half of each, with
 * its states (kmod/acquire.c).  `flags`: those of the calls, FW_KERNEL_PRIVATE between threads.
 *
 * updown: a counting semaphore, and with one unit a lock.  From: Franke, Russell and Kirkwood,
 * "Fuss, Futexes and Furwocks" (OLS 2002), section 3.1.1, FUTEX_UP and FUTEX_DOWN of Linux 2.5.7.
 *
 *   word, signed   meaning                    left by
 *   n > 0          n units                    down: -> n-1;  up: -> n+1
 *   0              none, nobody waits         up: -> 1;  the kernel, for who sleeps: -> -1
 *   -1             none, somebody may wait    the kernel only
 *
 * owner: FUTEX_LOCK.  From: Hart, "User-space adaptive futexes" (2010).
 *
 *   word           meaning                    left by
 *   0              free                       lock: -> thread id
 *   id             held                       unlock: -> 0;  the kernel, for who sleeps: | WAITERS
 *   id | WAITERS   held, somebody may wait    the kernel only
 *
 * A wait is not overtaken between its look at the word and its sleep: the kernel looks again.
 */
typedef struct classic_updown {
    uint32_t word;
    uint32_t flags;
} classic_updown;

typedef struct classic_owner {
    uint32_t word;
    uint32_t flags;
} classic_owner;

/* 0 or EAGAIN. */
static inline int classic_updown_trydown(classic_updown *l)
{
    uint32_t count = sc_load(&l->word);

    while ((int32_t)count > 0)
        if (sc_cas(&l->word, &count, count - 1)) /* n -> n-1 */
            return 0;
    return EAGAIN;
}

/* 0 or ETIMEDOUT; the deadline is absolute, in ns of CLOCK_MONOTONIC. */
static inline int classic_updown_down_until(classic_updown *l, int64_t deadline)
{
    if (classic_updown_trydown(l) == 0)
        return 0;
    return -kernel_device_wait(FW_KERNEL_DOWN, &l->word, 0, l->flags, deadline);
}

/*
 * 0, or EOVERFLOW: it has as many units as it can.  `policy`: FW_KERNEL_FAIR, FW_KERNEL_RANDOM, or
 * 0, greedy.
 */
static inline int classic_updown_up(classic_updown *l, uint32_t policy)
{
    uint32_t flags = l->flags, count = sc_load(&l->word);

    while ((int32_t)count >= 0) {
        if (count == INT32_MAX)
            return EOVERFLOW;
        if (sc_cas(&l->word, &count, count + 1)) /* n -> n+1 */
            return 0;
    }
    kernel_device_wake(FW_KERNEL_UP, &l->word, 1, flags | policy, 0);
    return 0;
}

static inline uint32_t classic_updown_value(const classic_updown *l)
{
    uint32_t count = sc_load(&l->word);

    return (int32_t)count > 0 ? count : 0;
}

/* A thread's name for itself in the word. */
static inline uint32_t classic_owner_id(void)
{
    return fw_self_() >> FW_ID_SHIFT;
}

/* 0 or EBUSY. */
static inline int classic_owner_trylock(classic_owner *l)
{
    uint32_t seen = 0;

    return sc_cas(&l->word, &seen, classic_owner_id()) ? 0 : EBUSY; /* 0 -> id */
}

/*
 * 0, ETIMEDOUT, or EOWNERDEAD: the lock is the caller's, and its owner before has died.  A caller
 * that has it already is stopped.
 */
int classic_owner_lock_slow_(classic_owner *l, uint32_t adaptive, int64_t deadline);
void classic_owner_unlock_slow_(classic_owner *l, uint32_t fair);

/* The same; `adaptive`: FW_KERNEL_ADAPTIVE, to poll while the owner runs, or 0. */
static inline int classic_owner_lock_until(classic_owner *l, uint32_t adaptive, int64_t deadline)
{
    return classic_owner_trylock(l) == 0 ? 0 : classic_owner_lock_slow_(l, adaptive, deadline);
}

/* Aborts the program if the lock is another's.  `fair`: FW_KERNEL_FAIR, or 0. */
static inline void classic_owner_unlock(classic_owner *l, uint32_t fair)
{
    uint32_t self = classic_owner_id();

    if (!sc_cas(&l->word, &self, 0)) /* id -> 0 */
        classic_owner_unlock_slow_(l, fair);
}

#endif
