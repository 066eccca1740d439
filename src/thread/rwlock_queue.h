/* SPDX-License-Identifier: MIT */
#ifndef FW_RWLOCK_QUEUE_H
#define FW_RWLOCK_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>
#include <furwock/rwlock.h>

#include "core/operation.h"
#include "core/wait.h"
#include "core/waitqueue.h"

/*
 * The wait queue of an fw_rwlock.
 *
 * rwlock_turn.c decides which threads are admitted; rwlock_queue.c has the waiting itself.  All of
 * it happens inside the lock's bucket, except spinning and sleeping.
 */

enum rw_want { RW_READ, RW_WRITE, RW_UPREAD, RW_UPGRADE };

enum { RW_WAITING = 1, RW_ASLEEP, RW_AHEAD, RW_GRANTED, RW_ADMITTED };

/*
 * A queued thread; it lies on that thread's stack.  Or the beginning of an operation
 * (core/operation.h), which is WAITING, and is always handed the lock.
 */
struct rw_waiter {
    struct fw_waiter_node_ node; /* first: the bucket hands out pointers to it */
    fw_half_ state;              /* written inside the bucket, read anywhere; writers sleep on it */
    uint32_t id;
    uint8_t want;       /* enum rw_want */
    bool is_designated; /* a writer that was woken, and has not gone back to sleep */
    bool starves;       /* it was woken, and has lost for long, or is the next: a hand-off is due */
    bool may_be_ahead;  /* a writer of a fair lock that spins, and may be woken ahead: RW10 */

    /* for the thread itself */
    bool may_spin;  /* spinning before the next sleep may pay */
    bool is_ahead;  /* it was woken ahead, and has not gone back to sleep */
    bool is_greedy; /* wants to write, and the lock is greedy */
    uint32_t races; /* lost, RACES_BEFORE_RECHECK at most */
    uint64_t woken_at;
};

_Static_assert(offsetof(struct rw_waiter, node) == 0, "a waiter is found by its node");
_Static_assert(offsetof(struct rw_waiter, state) == offsetof(fw_await, state_) &&
                   offsetof(struct rw_waiter, id) == offsetof(fw_await, task_) &&
                   offsetof(struct rw_waiter, want) == offsetof(fw_await, want_) &&
                   offsetof(struct rw_waiter, is_designated) ==
                       offsetof(fw_await, is_designated_) &&
                   offsetof(struct rw_waiter, starves) == offsetof(fw_await, starves_) &&
                   (int)RW_WAITING == (int)FW_OPERATION_WAITING,
               "an operation begins like a waiter");

static inline struct rw_waiter *rw_first_in(const struct fw_waitqueue_ *bucket, const fw_rwlock *l)
{
    return (struct rw_waiter *)fw_waitqueue_first_(bucket, l);
}

static inline struct rw_waiter *rw_next_to(const struct rw_waiter *p)
{
    return (struct rw_waiter *)fw_waitqueue_next_(&p->node);
}

/* Can it hold the lock together with others?  Such waiters sleep on the pulse of the bucket. */
static inline bool rw_shares(const struct rw_waiter *p)
{
    return p->want == RW_READ || p->want == RW_UPREAD;
}

/* One call wakes all waiters of a lock that sleep on the pulse, and few others. */
static inline uint32_t rw_pulse_bits(const fw_rwlock *l)
{
    return UINT32_C(1) << ((uintptr_t)l >> 4) % 32;
}

/* What a holder does with its hold. */
enum rw_change {
    RW_NOTHING,
    RW_READER_LEAVES,
    RW_WRITER_LEAVES,
    RW_UPREADER_LEAVES,
    RW_WRITER_READS,
    RW_WRITER_UPREADS,
    RW_UPREADER_READS
};

/* RW10: at most that many writers are woken ahead, on machines with that many CPUs or more. */
enum { RW_AHEAD_MOST = 2, RW_AHEAD_CPUS = 4 };

/*
 * What is to be woken when the bucket has been left.  Addresses only: what lies there may be gone.
 */
struct rw_wakes {
    const fw_half_ *one;
    const fw_half_ *ahead[RW_AHEAD_MOST];
    unsigned n_ahead;
    const uint32_t *pulse;
    uint32_t bits;
    bool again; /* to be dispatched again: more operations have their turn, or one was a loser */
    struct fw_wakeups_ operations;
};

/*
 * Inside the bucket: makes the caller's change, which must be legal, and admits the waiters whose
 * turn it is then.  With hand_over, a writer whose turn it is gets the lock by hand-off, even if a
 * running thread could take it sooner.  After a change other than RW_NOTHING the lock may be gone.
 */
void fw_rw_dispatch_(struct fw_waitqueue_ *bucket, fw_rwlock *l, enum rw_change change,
                     bool hand_over, struct rw_wakes *wakes);

/*
 * Fewer threads are queued, as the second word says, than there are CPUs; and these are not few.
 * So those that spin probably take the CPU from nobody.
 */
bool fw_rw_has_cpus_(uint64_t queue);

/* The same from outside. */
void fw_rw_release_(fw_rwlock *l, enum rw_change change, bool hand_over);

/* Queues an operation that wants to read or write: false: it was taken instead. */
bool fw_rw_enqueue_(fw_rwlock *l, enum rw_want want, fw_await *op);

/* Inside the bucket: an operation has been taken out of the queue.  Leaves the bucket. */
void fw_rw_dequeued_(struct fw_waitqueue_ *bucket, fw_await *op);

/* Waits, queued, until the lock is granted or taken (0), or the deadline has passed (ETIMEDOUT). */
int fw_rw_wait_(fw_rwlock *l, enum rw_want want, struct fw_wait_ *wait);

#endif
