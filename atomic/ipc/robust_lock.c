/* SPDX-License-Identifier: MIT */
/*
 * A lock that outlives its owner.  Contract: robust_lock.h.  Bits: sys/robust.h.
 *
 * Origin: the word and the death of the owner are the kernel's protocol for robust futexes
 * (Documentation/locking/robust-futex-ABI.rst); that a waiter which slept leaves WAITERS behind is
 * Drepper's, "Futexes are tricky", mutex 2.
 *
 *   word          meaning                          left by
 *   0             free                             lock: -> id
 *   id            held, nobody sleeps              unlock: -> 0; a waiter: -> id|WAITERS
 *   id|WAITERS    held, threads may sleep          unlock: -> WAITERS, then a wake
 *   WAITERS       free, threads may sleep          lock: -> id|WAITERS; a wake that finds nobody:
 *                                                  -> 0
 *   DIED          free, its owner died inside      lock: -> id, and repairs
 *   DIED|WAITERS  the same, threads may sleep      lock: -> id|WAITERS, and repairs
 *   of the kernel, when an owner dies: id -> DIED, id|WAITERS -> DIED|WAITERS, then it wakes one
 *
 *   AROB1  The word is announced before it is taken and until it has been released, and the wake
 *          made: wherever a thread dies, the kernel has the word in view.
 *   AROB2  A thread that takes the lock out of DIED, or from an owner that is gone, repairs before
 *          anything else.  If it dies meanwhile, the word is DIED again.
 *   AROB3  A sleeper has seen WAITERS in the word it sleeps on, and a thread that has slept puts it
 *          back with its id; it is cleared only if a wake has found nobody.
 *   AROB4  No thread sleeps for longer than a re-check interval: a wake that was lost with its
 *          thread costs an interval at most.  After an interval with the same owner a thread checks
 *          whether that one still lives, for deaths that the kernel could not mark.  Sleeps that
 *          signals cut short are parts of one interval.
 *
 *   Legal: WAITERS without sleepers (one needless wake).
 *   Illegal: to clear DIED without repair; to take a word from an owner that may still run.
 */
#include "robust_lock.h"

#include <errno.h>

#include <furwock/futex.h>

#include "core/owner_word.h"
#include "core/recheck.h"
#include "core/sleep.h"
#include "spin.h"
#include "sys/clock.h"
#include "sys/panic.h"
#include "sys/thread.h"

static uint32_t owner_of(uint32_t word)
{
    return word & FW_ROBUST_OWNER;
}

/* The word once it is taken; `extra`: WAITERS if the caller has slept. */
static uint32_t taken(uint32_t word, uint32_t id, uint64_t extra)
{
    /* F:ipc-atomic-forgets-waiters */
    return id | (word & FW_ROBUST_WAITERS) | (uint32_t)extra; /* AROB3 */
}

/* A thread in the slow path of lock: it lives on that thread's stack. */
struct waiter {
    uint32_t *word;
    const struct fw_robust_ *r;
    unsigned rechecks; /* how many intervals it still waits, if they are counted */
    bool is_limited;   /* else nothing is counted: a waiter loops in one state */
    bool has_spun;     /* since its last sleep */
    bool has_elapsed;  /* a whole interval, with `expected` in the word all the while */
    bool is_under_way; /* the interval: until `end`, in however many sleeps (signals may come) */
    uint32_t expected;
    fw_deadline end;
};

/* Sleeps, until the interval's end at most.  True: it is over, and the word was as expected. */
static bool sleep_on(struct waiter *me, uint32_t expected)
{
    int error;

    if (!me->is_under_way || me->expected != expected)
        me->end = fw_deadline_in_(CLOCK_MONOTONIC, FW_RECHECK_ATOMIC_IPC_NS);
    me->expected = expected;
    /* F:ipc-atomic-sleeps-anyway */
    error = fw_sleep_(me->word, expected, FW_FUTEX_SHARED, &me->end);
    me->is_under_way = error != -ETIMEDOUT && !fw_deadline_is_over_(&me->end);
    return !me->is_under_way;
}

static uint32_t identity(uint32_t owner)
{
    return owner << FW_ID_SHIFT | FW_ID_HELD;
}

/*
 * Can the owner in `now`, which is not 0, do no more?  Asked after an interval in which the word
 * was the same; at once if it is the caller.
 */
static bool is_ownerless(const struct waiter *me, uint32_t now)
{
    if (owner_of(now) != me->r->id)
        /* F:ipc-atomic-robs */
        return me->has_elapsed && now == me->expected && fw_robust_is_gone_(owner_of(now));
    if (me->r->depth > 1)
        fw_panic_("a signal handler waits for the atomic operation that it has interrupted",
                  me->word, identity(me->r->id), identity(me->r->id));
    return true; /* this thread is not inside: another had the id before */
}

/* 0: taken; EOWNERDEAD: and its owner died with it; EBUSY. */
static int attempt(void *waiter, uint64_t *word, uint64_t extra)
{
    struct waiter *me = waiter;
    uint32_t now = (uint32_t)*word;
    bool is_left;

    for (;;) {
        is_left = (now & FW_ROBUST_DIED) != 0;
        if (owner_of(now) != 0 && !(is_left = is_ownerless(me, now))) {
            *word = now;
            return EBUSY;
        }
        /* free, or an owner that is gone -> id */
        /* F:ipc-atomic-torn-lock */
        if (fw_cas32_acquire(me->word, &now, taken(now, me->r->id, extra)))
            return is_left ? EOWNERDEAD : 0; /* F:ipc-atomic-untold-mark */
        me->has_elapsed = false;
    }
}

static bool spin(void *waiter, uint64_t now)
{
    struct waiter *me = waiter;

    (void)now;
    if (me->has_spun)
        return false;
    me->has_spun = true;
    fw_spin_(me->word, FW_ROBUST_OWNER);
    return true;
}

/* ETIMEDOUT: as many intervals as it waits have passed. */
static int sleep_once(void *waiter, uint64_t now)
{
    struct waiter *me = waiter;

    if (me->is_limited && me->rechecks == 0)
        return ETIMEDOUT;
    me->has_elapsed = sleep_on(me, (uint32_t)now);
    me->rechecks -= me->is_limited && me->has_elapsed;
    me->has_spun = false;
    return 0;
}

__attribute__((cold, noinline)) enum fw_robust_how_
fw_robust_lock_slow_(uint32_t *word, struct fw_robust_ *r, unsigned rechecks)
{
    static const struct fw_owner_word_ how = {
        .waiters = FW_ROBUST_WAITERS,
        .attempt = attempt,
        .spin = spin,
        .sleep = sleep_once,
    };
    struct waiter me = {.word = word, .r = r, .rechecks = rechecks, .is_limited = rechecks != 0};
    uint64_t now = fw_load32_relaxed(word);

    switch (fw_owner_word_wait_(&how, word, &now, &me)) {
    case 0:
        return FW_ROBUST_TAKEN_;
    case EOWNERDEAD:
        return FW_ROBUST_LEFT_;
    default:
        fw_robust_withdraw_(r);
        return FW_ROBUST_LATE_;
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
        fw_cas32_relaxed(word, &left, 0); /* WAITERS -> 0, unless it is held by now: AROB3 */
}
