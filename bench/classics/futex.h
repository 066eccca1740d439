/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_FUTEX_H
#define FW_CLASSICS_FUTEX_H

#include "spin.h"
#include "word.h"

/*
 * futex: the lock of the futex paper, with its two releases.
 *
 * From: Franke, Russell and Kirkwood, "Fuss, Futexes and Furwocks" (OLS 2002): down from section
 * 3.1.1 (FUTEX_DOWN), its loop moved to user space as section 3.1.3 has it; up and up_fair from
 * section 3.1.4.
 *
 *   word, signed   meaning                           left by
 *   1              free                              down: -> 0;  down after a sleep: -> 0 -> -1
 *   0              held, nobody waits                up, up_fair: -> 1;  a newcomer: -> -1
 *   -1 and less    held, somebody may wait           up: -> 1, and a wake;  up_fair: -> passed,
 *                                                    and a wake;  a newcomer: one less
 *   PASSED and     passed: belongs to one of those   whom the wake met: -> -1;  up_fair, where it
 *   less           whose sleep was ended by a wake   met nobody: -> 1;  a newcomer: one less
 *
 *   Legal:   a negative word while nobody sleeps (one needless wake).
 *   Illegal: 0 or 1 while somebody sleeps, unless somebody whom a wake met is on the way to the
 *            word, or a wake is still to come.
 *   The size of a negative number means nothing, except that PASSED is far below what newcomers
 *   reach.
 *
 * Faithful
 *  - The fast down is an atomic decrement; the fast up is one exchange.
 *  - The slow down decrements only a word that is not negative, so that it cannot wrap (footnote
 *    4), and decrements a zero too, for -1 means that somebody sleeps.
 *  - up_fair sets "an extremely negative number"; a newcomer takes that for contention; whom the
 *    wake met has the lock, and resets the word to -1.
 * Adapted
 *  - FUTEX_DOWN woke the next sleeper once it had the lock, so that the word became negative
 *    again.  In user space a task that has slept stores -1 instead, as it does when it was passed
 *    the lock.
 *  - up_fair begins with an increment, to see whether anybody waits; no compare-and-exchange is
 *    needed.
 *  - trylock, which the paper does not have, is a compare-and-exchange.
 * Repair: up_fair that meets no sleeper.  A waiter may have decremented and not sleep yet, or the
 *    word may be negative by habit.  As printed, the lock would stay passed to nobody forever.
 *    Here up_fair then takes the pass back (PASSED -> 1) and wakes once more, as a greedy up
 *    would.
 * Repair: pass and claim are compare-and-exchange.  A wake of an earlier release can be late; it
 *    may end the sleep of one task while the proper wake ends that of another.  Both see
 *    "passed"; with a plain store both would take the lock.
 *
 * Weaknesses: after up, anybody may take the lock before the woken task does; a newcomer between
 * decrement and sleep, and a sleeper that a signal handler or a late wake disturbs, lose their
 * point; a task that is killed between its wake and its claim takes the lock, or the wake, with
 * it.  up may be followed by the next owner freeing the memory; up_fair looks at it once more.
 *
 * No wake is lost, by up: let S sleep, and T be whom the last wake met.
 *
 *     owner                         T                              newcomer N
 *     exchange 1, saw -1
 *                                                                  1 -> 0: has it, unaware of S
 *     wake: T
 *                                   0 -> -1, sleeps on -1
 *                                                                  up: saw -1, wakes S
 *
 * T either takes the lock, and stores -1, or makes the word negative before it sleeps again.  By
 * up_fair, where the wake comes too early for a waiter W:
 *
 *     owner                         W
 *                                   0 -> -1
 *     -1 -> 0 -> PASSED
 *     wake: nobody
 *                                   wait(-1) fails; sees PASSED; wait(PASSED) sleeps
 *     PASSED -> 1, wake: W
 *                                   1 -> 0 -> -1: has it
 *
 * and had W slept before the first wake, that wake would have met it.
 */
typedef struct classic_futex {
    uint32_t count;
    uint32_t scope; /* enum classic_scope */
} classic_futex;

#define CLASSIC_FUTEX_INIT              \
    {                                   \
        FUTEX_AVAILABLE, CLASSIC_SHARED \
    }

#define FUTEX_AVAILABLE 1u
#define FUTEX_TAKEN 0u
#define FUTEX_CONTENDED 0xffffffffu /* -1 */
#define FUTEX_PASSED 0xc0000000u    /* -2^30: newcomers would have to be 2^30 to reach it */

_Static_assert((int32_t)FUTEX_CONTENDED == -1, "two's complement");
_Static_assert((int32_t)FUTEX_PASSED == -(1 << 30), "half way down");

static inline bool futex_is_negative(uint32_t count)
{
    return (int32_t)count < 0;
}

/* Newcomers may have decremented a passed word. */
static inline bool futex_is_passed(uint32_t count)
{
    return (int32_t)count <= (int32_t)FUTEX_PASSED;
}

void classic_futex_down_slow_(classic_futex *f, uint32_t count);
void classic_futex_down_spin_slow_(classic_futex *f, uint32_t spin_ns);
void classic_futex_up_fair_slow_(classic_futex *f);

/* Takes the lock if it is free: 0 or EBUSY. */
static inline int classic_futex_trydown(classic_futex *f)
{
    uint32_t available = FUTEX_AVAILABLE;
    return sc_cas(&f->count, &available, FUTEX_TAKEN) ? 0 : EBUSY; /* AVAILABLE -> TAKEN */
}

static inline void classic_futex_down(classic_futex *f)
{
    uint32_t count = sc_fetch_sub(&f->count, 1) - 1; /* AVAILABLE -> TAKEN, or one less */
    if (count != FUTEX_TAKEN)
        classic_futex_down_slow_(f, count);
}

/* futex(spin,3) is this with SPIN_PAPER_NS. */
static inline void classic_futex_down_spin(classic_futex *f, uint32_t spin_ns)
{
    if (classic_futex_trydown(f) != 0)
        classic_futex_down_spin_slow_(f, spin_ns);
}

/* The "naive" up: convoy avoiding, greedy. */
static inline void classic_futex_up(classic_futex *f)
{
    uint32_t scope = f->scope;
    uint32_t previous = sc_exchange(&f->count, FUTEX_AVAILABLE); /* any -> AVAILABLE */
    if (futex_is_negative(previous))
        word_wake_one(&f->count, scope);
}

/* Passes the lock to the longest sleeper, if there is one. */
static inline void classic_futex_up_fair(classic_futex *f)
{
    uint32_t count = sc_fetch_add(&f->count, 1) + 1; /* TAKEN -> AVAILABLE, or still the caller's */
    if (count != FUTEX_AVAILABLE)
        classic_futex_up_fair_slow_(f);
}

#endif
