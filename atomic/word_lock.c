/* SPDX-License-Identifier: MIT */
/*
 * Lock and count in one word.  Contract: word_lock.h.
 *
 * Origin: Gustedt, "Futex based locks for C11's generic atomics" (INRIA RR-8818), section 3.1: one
 * word with a lock bit and a count, one atomic instruction each way, a waiter counts itself once
 * and leaves the count in the step that takes the lock.  Different from Listing 1: spinners are not
 * counted, so that a release which only spinners wait for makes no system call; and of the sleepers
 * one at a time is woken, the successor, and no more until it has had the lock.
 *
 *   bit 31      HELD
 *   bit 30      WAKING: there is a successor
 *   bits 0-29   how many are registered: asleep, about to be, or woken and not in yet
 *
 *   word            meaning                         left by
 *   0               free                            lock: -> HELD
 *   HELD            held, nobody is registered      unlock: -> 0; a waiter registers: -> HELD|1
 *   HELD|n          held, n are registered          unlock: -> n, then -> WAKING|n and a wake;
 *                                                   a waiter registers: -> HELD|n+1
 *   n               free, a release or one of the   lock: -> HELD|n; the release: -> WAKING|n;
 *                   n is about to read it           one of the n: -> HELD|n-1
 *   WAKING|n        free, one of the n is the       lock: -> HELD|WAKING|n; that one: -> HELD|n-1;
 *                   successor                       another of the n: -> HELD|WAKING|n-1
 *   HELD|WAKING|n   held, one of the n is the       unlock: -> WAKING|n, and no wake
 *                   successor
 *
 *   AWL1  A sleeper is registered, and registers once until it has the lock.
 *   AWL2  While a thread sleeps that is not the successor: the lock is held and there is no WAKING
 *         (its release will wake), or there is a successor, or a release is between its steps.
 *   AWL3  A successor has been woken once, and from then on sleeps in re-check intervals, until it
 *         takes the lock and clears WAKING.
 *
 *   Legal: to clear WAKING while holding the lock (one needless wake); two threads that take
 *   themselves for the successor (after a spurious wake).
 *   Illegal: to leave WAKING set when the wake found nobody; to sleep on a word without HELD.
 *
 * Why re-check intervals: under contention a successor finds the lock held again and again.
 * If it slept as the others do, each time another release would have to wake it, which costs more
 * than the section.
 *
 * No thread waits forever (Theorem 3.5): a thread that is about to sleep is held up only by changes
 * of the word, and except for arrivals, of which there is one for each thread, each of these is
 * part of an acquisition or a release: some thread makes progress.
 */
#include "word_lock.h"

#include <errno.h>
#include <stddef.h>

#include <furwock/futex.h>

#include "core/recheck.h"
#include "core/sleep.h"
#include "fork.h"
#include "spin.h"
#include "sys/clock.h"
#include "sys/panic.h"

static bool is_waking(uint32_t word)
{
    return (word & FW_WORD_LOCK_WAKING_) != 0;
}

static bool has_sleepers(uint32_t word)
{
    return (word & ~(FW_WORD_LOCK_HELD_ | FW_WORD_LOCK_WAKING_)) != 0;
}

static uint32_t spin(const fw_word_lock *l)
{
    return fw_spin_(&l->word, FW_WORD_LOCK_HELD_);
}

/* Sleeps, if the word is still as expected.  Was it woken? */
static bool sleep_on(const fw_word_lock *l, uint32_t expected, uint64_t ns)
{
    fw_deadline end;

    if (ns != 0)
        end = fw_deadline_in_(CLOCK_MONOTONIC, ns);
    /* F:word-sleeps-anyway */
    return fw_sleep_(&l->word, expected, FW_FUTEX_PRIVATE, ns != 0 ? &end : NULL) == 0;
}

/* The word when one of the registered has taken the lock. */
static uint32_t without_one(uint32_t now, bool is_successor)
{
    /* F:fork-leaves-twice */
    if (has_sleepers(now)) /* else a fork in a signal handler has erased the registration: fork.h */
        /* F:word-still-registered */
        now -= FW_WORD_LOCK_SLEEPER_;
    return is_successor ? now & ~FW_WORD_LOCK_WAKING_ : now; /* F:word-keeps-waking */
}

/* How many intervals of this fork, as far as that matters. */
static unsigned rechecks_after(unsigned rechecks)
{
    if (!fw_fork_is_on_())
        return 0;
    return rechecks < FW_FORK_RECHECKS_ ? rechecks + 1 : rechecks;
}

/* A fork has left the lock to the caller, which is registered. */
static void leave_count(fw_word_lock *l, bool is_successor)
{
    uint32_t now = fw_load32_relaxed(&l->word);
    while (
        !fw_cas32_acquire(&l->word, &now, without_one(now, is_successor))) /* HELD|n -> HELD|n-1 */
        continue;
}

__attribute__((cold, noinline)) void fw_word_lock_slow_(fw_word_lock *l)
{
    uint32_t now;
    bool is_successor = false;

    if (fw_fork_gives_(l, 0))
        return;
    now = spin(l);
    while (!fw_word_lock_is_held_(now))
        /* F:word-torn */
        if (fw_cas32_acquire(&l->word, &now, now | FW_WORD_LOCK_HELD_)) /* n -> HELD|n */
            return;
    /* F:word-unregistered */
    now = fw_add32_acquire(&l->word, FW_WORD_LOCK_SLEEPER_) + FW_WORD_LOCK_SLEEPER_; /* AWL1 */
    for (unsigned rechecks = 0;; rechecks = rechecks_after(rechecks)) {
        while (!fw_word_lock_is_held_(now)) {
            uint32_t mine = without_one(now, is_successor) | FW_WORD_LOCK_HELD_;
            if (fw_cas32_acquire(&l->word, &now, mine)) /* n -> HELD|n-1 */
                return;
        }
        if (fw_fork_gives_(l, rechecks)) {
            leave_count(l, is_successor);
            return;
        }
        /* F:word-successor-sleeps */
        is_successor |=
            sleep_on(l, now,
                     is_successor || fw_fork_is_on_() ? FW_RECHECK_ATOMIC_WOKEN_NS /* AWL3 */
                                                      : FW_RECHECK_ATOMIC_NS);
        now = spin(l);
    }
}

static int wake_one(const fw_word_lock *l)
{
    int woken = fw_futex_wake(&l->word, 1, FW_FUTEX_PRIVATE); /* F:word-no-wake */
    if (woken < 0)
        fw_panic_errno_("futex wake of an atomic operation", -woken);
    return woken;
}

/*
 * Nobody was asleep: all that are registered were about to be.  But WAKING may have been seen
 * meanwhile, by a thread that slept because of it, and by one whose release did not wake because of
 * it.
 */
static void take_back_waking(fw_word_lock *l)
{
    uint32_t now = fw_and32_relaxed(&l->word, ~FW_WORD_LOCK_WAKING_); /* WAKING|n -> n */
    /* F:word-takes-back-quietly */
    if (!fw_word_lock_is_held_(now) && has_sleepers(now))
        wake_one(l);
}

/* Of the sleepers on a word that now has WAKING one becomes the successor. */
static void wake_successor(fw_word_lock *l)
{
    if (wake_one(l) == 0) /* F:word-leaves-waking */
        take_back_waking(l);
}

void fw_word_lock_name_successor_(fw_word_lock *l)
{
    uint32_t now = fw_load32_relaxed(&l->word);

    while (has_sleepers(now) && !is_waking(now)) {
        if (fw_cas32_relaxed(&l->word, &now, now | FW_WORD_LOCK_WAKING_)) { /* HELD|n -> +WAKING */
            wake_successor(l);
            return;
        }
    }
}

__attribute__((cold, noinline)) void fw_word_unlock_slow_(fw_word_lock *l, uint32_t was)
{
    uint32_t now = was - FW_WORD_LOCK_HELD_;

    if (!fw_word_lock_is_held_(was)) {
        /*
         * A fork in a signal handler gave the child a new word: fork.h.  Take it back.  (Threads
         * that the handler started may see the lock held for a moment; it should not start any.)
         */
        fw_add32_relaxed(&l->word, FW_WORD_LOCK_HELD_); /* F:fork-frees-twice */
        return;
    }
    /* A thread that has taken the lock meanwhile will do this instead. */
    while (has_sleepers(now) && !is_waking(now) && !fw_word_lock_is_held_(now)) {
        if (fw_cas32_relaxed(&l->word, &now, now | FW_WORD_LOCK_WAKING_)) { /* n -> WAKING|n */
            wake_successor(l);
            return;
        }
    }
}
