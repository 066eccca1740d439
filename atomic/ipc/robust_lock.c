/* SPDX-License-Identifier: MIT */
/*
 * A lock that outlives its owner.  Contract: robust_lock.h.  Bits: sys/robust.h.
 *
 * Origin: the word and the death of the owner are the kernel's protocol for robust futexes
 * (Documentation/locking/robust-futex-ABI.rst); that a waiter who slept leaves WAITERS behind is
 * Drepper's, "Futexes are tricky", mutex 2.
 *
 *   word          meaning                          left by
 *   0             free                             lock: -> id
 *   id            held, nobody sleeps              unlock: -> 0; a waiter: -> id|WAITERS
 *   id|WAITERS    held, somebody may sleep         unlock: -> WAITERS, then a wake
 *   WAITERS       free, somebody may sleep         lock: -> id|WAITERS; the wake that finds nobody:
 *                                                  -> 0
 *   DIED          free, its owner died inside      lock: -> id, and repairs
 *   DIED|WAITERS  the same, somebody may sleep     lock: -> id|WAITERS, and repairs
 *   of the kernel, when an owner dies: id -> DIED, id|WAITERS -> DIED|WAITERS, then it wakes one
 *
 *   AROB1  The word is announced before it is taken and until it has been given back, and the wake
 *          made: wherever a thread dies, the kernel has the word in view.
 *   AROB2  Who takes the lock out of DIED, or from an owner who is gone, repairs before anything
 *          else. If it dies over that, the word is DIED again.
 *   AROB3  Who sleeps has seen WAITERS in the word it sleeps on, and who has slept puts it back
 *          with its id; it is cleared only where a wake has found nobody.
 *   AROB4  Nobody sleeps for longer than a nap without looking: a wake that got lost with the
 *          thread it was for costs a nap, not for ever.  After a nap on the same owner a thread
 *          looks whether that one still lives, for the sake of deaths that the kernel could not
 *          mark.  Sleeps that signals cut short are parts of one nap.
 *
 *   Legal: WAITERS without sleepers (one needless wake).
 *   Illegal: to clear DIED without repair; to take a word from an owner who may still run.
 */
#include "robust_lock.h"

#include <errno.h>

#include <furwock/futex.h>

#include "spin.h"
#include "sys/clock.h"
#include "sys/panic.h"
#include "sys/thread.h"

static uint32_t owner_of(uint32_t word)
{
    return word & FW_ROBUST_OWNER;
}

static bool has_waiters(uint32_t word)
{
    return (word & FW_ROBUST_WAITERS) != 0;
}

/* The next word of one who takes it. */
static uint32_t taken(uint32_t word, uint32_t id, bool has_slept)
{
    /* F:ipc-atomic-forgets-waiters */
    return id | (word & FW_ROBUST_WAITERS) | (has_slept ? FW_ROBUST_WAITERS : 0); /* AROB3 */
}

/* Of a nap: in how many sleeps doesn't matter, for a thread may get signals all the time. */
struct nap {
    fw_deadline end;
    uint32_t expected; /* the word, all the while; 0: the nap has not begun */
};

/* Sleeps, until the nap's end at most.  True: it is over, and the word was as expected. */
static bool nap(struct nap *n, const uint32_t *word, uint32_t expected)
{
    int error;

    if (n->expected != expected)
        *n = (struct nap){fw_deadline_in_(CLOCK_MONOTONIC, FW_ROBUST_RECHECK_NS_), expected};
    /* F:ipc-atomic-sleeps-anyway */
    error = fw_futex_wait(word, expected, FW_FUTEX_SHARED, &n->end);

    if (error != 0 && error != -EAGAIN && error != -EINTR && error != -ETIMEDOUT)
        fw_panic_errno_("futex wait of an atomic operation between processes", -error);
    if (error != -ETIMEDOUT && !fw_deadline_is_over_(&n->end))
        return false;
    n->expected = 0;
    return true;
}

static uint32_t identity(uint32_t owner)
{
    return owner << FW_ID_SHIFT | FW_ID_HELD;
}

/* Can the owner in `now`, which is not 0, do no more?  Asked after a nap; at once if it is us. */
static bool is_ownerless(const uint32_t *word, uint32_t now, const struct fw_robust_ *r,
                         bool has_elapsed)
{
    if (owner_of(now) != r->id)
        return has_elapsed && fw_robust_is_gone_(owner_of(now)); /* F:ipc-atomic-robs */
    if (r->depth > 1)
        fw_panic_("a signal handler waits for the atomic operation that it has interrupted", word,
                  identity(r->id), identity(r->id));
    return true; /* this thread is not inside: another had the id before it */
}

__attribute__((cold, noinline)) enum fw_robust_how_
fw_robust_lock_slow_(uint32_t *word, struct fw_robust_ *r, unsigned naps)
{
    bool is_limited = naps != 0; /* else nothing is counted: a waiter goes round in one state */
    bool has_slept = false;
    bool has_elapsed = false; /* and the word is what it was before */
    struct nap n = {.expected = 0};
    uint32_t now = fw_spin_(word, FW_ROBUST_OWNER);
    uint32_t expected;

    for (;;) {
        bool is_left = (now & FW_ROBUST_DIED) != 0;
        if (owner_of(now) == 0 || (is_left = is_ownerless(word, now, r, has_elapsed))) {
            /* all that is free, or an owner who is gone -> id */
            /* F:ipc-atomic-torn-lock */
            if (fw_cas32_acquire(word, &now, taken(now, r->id, has_slept)))
                return is_left ? FW_ROBUST_LEFT_ : FW_ROBUST_TAKEN_; /* F:ipc-atomic-untold-mark */
            has_elapsed = false;
            continue;
        }
        /* F:ipc-atomic-sleeps-unseen */
        expected = now | FW_ROBUST_WAITERS;
        /* F:ipc-atomic-sleeps-unseen-2 */
        if (!has_waiters(now) && !fw_cas32_relaxed(word, &now, expected)) { /* id -> id|WAITERS */
            has_elapsed = false;
            continue;
        }
        if (is_limited && naps == 0) {
            fw_robust_withdraw_(r);
            return FW_ROBUST_LATE_;
        }
        has_slept = true;
        has_elapsed = nap(&n, word, expected);
        naps -= is_limited && has_elapsed;
        now = fw_spin_(word, FW_ROBUST_OWNER);
        has_elapsed = has_elapsed && now == expected;
    }
}

__attribute__((cold, noinline)) void
fw_robust_unlock_slow_(uint32_t *word, const struct fw_robust_ *r, uint32_t was)
{
    uint32_t left = FW_ROBUST_WAITERS;
    int woken;

    if (was != (r->id | FW_ROBUST_WAITERS))
        fw_panic_("the lock of an atomic object has been written over", word, identity(r->id),
                  identity(owner_of(was)));
    woken = fw_futex_wake(word, 1, FW_FUTEX_SHARED); /* F:ipc-atomic-no-wake */
    if (woken < 0)
        fw_panic_errno_("futex wake of an atomic operation between processes", -woken);
    if (woken == 0)
        fw_cas32_relaxed(word, &left, 0); /* WAITERS -> 0, unless somebody has it by now: AROB3 */
}
