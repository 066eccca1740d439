/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_USEMA_H
#define FW_CLASSICS_USEMA_H

#include "word.h"

/*
 * usema: the user semaphore, with which the paper's history begins.
 *
 * From: Franke, Russell and Kirkwood, "Fuss, Futexes and Furwocks" (OLS 2002), section 3:
 * usema_down and usema_up, with __ulock_down and __ulock_up as atomic decrement and increment.
 *
 *   status, signed   meaning                                    left by
 *   n > 0            free, n times                              down: n-1
 *   0                all taken                                  up: 1;  down: -1, and waits
 *   -n               all taken, n are in (or before) the queue  up: -n+1, and wakes;  down: -n-1
 *
 *   wakeups          meaning
 *   n                n wake-ups that no waiter has taken yet; 0: come and sleep
 *
 *   Illegal: a negative status in which somebody waits without being counted; a wake-up that is
 *   dropped.
 *
 * Faithful: "all counting is performed on the lock word", both calls are a single atomic
 * instruction where nobody waits, and whoever returns from the kernel has the semaphore: no
 * second look.
 * Adapted: sys_ulock_wait and sys_ulock_wakeup, which were system calls of a patched kernel, are
 * the `wakeups` word and a futex.  The paper leaves the race to them ("a lock can receive a
 * wakeup before the waiting process had a chance to enqueue itself"): a wake-up is counted, and
 * the wait that arrives late finds it.  That is the semaphore of the kernels of that time, which
 * a newcomer could overtake: it may take the wake-up that is on its way to a sleeper.  (ksem.h is
 * the queue that cannot be overtaken.)  trylock is an addition, and needs compare-and-exchange.
 *
 * No wake-up is lost: a task sleeps only while `wakeups` is 0, which the kernel checks, and each
 * increment is followed by a wake.
 *
 *     U (up)                           D (down)
 *                                      status 0 -> -1; sees wakeups 0
 *     status -1 -> 0; wakeups 0 -> 1
 *     wake: nobody
 *                                      wait(0) fails; wakeups 1 -> 0: has it
 *
 * Weaknesses: a sleeper can be overtaken, any number of times; a waiter that is killed stays in
 * the count, and the up that is meant for it is never taken: the semaphore is lost; 2^31 waiters
 * would wrap.
 */
typedef struct classic_usema {
    uint32_t status;
    uint32_t wakeups; /* the kernel's part */
    uint32_t scope;   /* enum classic_scope */
} classic_usema;

/* A semaphore that can be taken n times; a lock is CLASSIC_USEMA_INIT(1). */
#define CLASSIC_USEMA_INIT(n)  \
    {                          \
        (n), 0, CLASSIC_SHARED \
    }

static inline bool usema_is_free(uint32_t status)
{
    return (int32_t)status > 0;
}

void classic_usema_wait_slow_(classic_usema *u);   /* sys_ulock_wait */
void classic_usema_wakeup_slow_(classic_usema *u); /* sys_ulock_wakeup */

/* Takes the semaphore if it is free: 0 or EBUSY. */
static inline int classic_usema_trydown(classic_usema *u)
{
    uint32_t status = sc_load(&u->status);
    while (usema_is_free(status))
        if (sc_cas(&u->status, &status, status - 1)) /* n -> n-1 */
            return 0;
    return EBUSY;
}

static inline void classic_usema_down(classic_usema *u)
{
    if (!usema_is_free(sc_fetch_sub(&u->status, 1))) /* n -> n-1 */
        classic_usema_wait_slow_(u);
}

static inline void classic_usema_up(classic_usema *u)
{
    if ((int32_t)sc_fetch_add(&u->status, 1) < 0) /* n -> n+1 */
        classic_usema_wakeup_slow_(u);
}

#endif
