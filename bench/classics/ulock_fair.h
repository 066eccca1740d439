/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_ULOCK_FAIR_H
#define FW_CLASSICS_ULOCK_FAIR_H

#include "ksem.h"
#include "spin.h"
#include "word.h"

/*
 * ulock_fair: Franke's exclusive lock with the fair wakeup policy.
 *
 * From: Franke, Russell and Kirkwood, "Fuss, Futexes and Furwocks" (OLS 2002), section 3, the
 * ulocks prototype: "for exclusive locks, standard counting ... is implemented".
 *
 *   status, signed   meaning                          left by
 *   1                free                             lock: -> 0
 *   0                held, nobody waits               unlock: -> 1;  lock: -> -1, and waits
 *   -n               held, n wait                     unlock: -> -n+1, and grants it to a waiter;
 *                                                     lock: -> -n-1, and waits
 *
 *   Illegal: 1 while somebody is counted; a grant that nobody is counted for.
 *
 * Faithful: the count of waiters is in the word, which the kernel never looks at; lock and unlock
 * are one atomic decrement or increment; a waiter that returns from the kernel owns the lock and
 * has nothing more to do.  A lock with waiters is never free, so nobody can come in between.
 * Adapted: the kernel's wait queue is ksem.h, which see for how it differs from that of 2002.
 * trylock and the spinning form need compare and exchange.
 *
 * No wake is lost: the increment takes exactly one waiter out of the count and gives the queue
 * exactly one unit, early or late.
 *
 * Weaknesses: a waiter between its decrement and its sleep may be passed by one that sleeps
 * already; a task that is killed while it waits stays in the count, and once the lock is granted
 * to it, it is lost; unlock looks at the queue after the grant, so the next owner must not free
 * the memory at once.
 */
typedef struct classic_ulock_fair {
    uint32_t status;
    classic_ksem queue;
} classic_ulock_fair;

#define CLASSIC_ULOCK_FAIR_INIT \
    {                           \
        ULOCK_FAIR_FREE,        \
        {                       \
            0, CLASSIC_SHARED   \
        }                       \
    }

#define ULOCK_FAIR_FREE 1u
#define ULOCK_FAIR_HELD 0u

void classic_ulock_fair_lock_spin_slow_(classic_ulock_fair *l, uint32_t spin_ns);

/* Takes the lock if it is free: 0 or EBUSY. */
static inline int classic_ulock_fair_trylock(classic_ulock_fair *l)
{
    uint32_t free = ULOCK_FAIR_FREE;
    return sc_cas(&l->status, &free, ULOCK_FAIR_HELD) ? 0 : EBUSY; /* FREE -> HELD */
}

static inline void classic_ulock_fair_lock(classic_ulock_fair *l)
{
    if (sc_fetch_sub(&l->status, 1) != ULOCK_FAIR_FREE) /* FREE -> HELD, or one waiter more */
        classic_ksem_down(&l->queue);
}

/* ulocks_fair(spin,3) is this with SPIN_PAPER_NS. */
static inline void classic_ulock_fair_lock_spin(classic_ulock_fair *l, uint32_t spin_ns)
{
    if (classic_ulock_fair_trylock(l) != 0)
        classic_ulock_fair_lock_spin_slow_(l, spin_ns);
}

static inline void classic_ulock_fair_unlock(classic_ulock_fair *l)
{
    if (sc_fetch_add(&l->status, 1) != ULOCK_FAIR_HELD) /* HELD -> FREE, or one waiter less */
        classic_ksem_up(&l->queue);
}

#endif
