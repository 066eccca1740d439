/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_GUSTEDT_H
#define FW_CLASSICS_GUSTEDT_H

#include "word.h"

/*
 * gustedt: lock bit and number of contenders in one word, one atomic instruction each way.
 *
 * From: Gustedt, "Futex based locks for C11's generic atomics" (INRIA 2016), section 3.1, Listing
 * 1.
 *
 *   bit 31      held
 *   bits 0-30   how many tasks are inside: the owner and all who want to be
 *
 *   word     meaning                             left by
 *   0        free, nobody inside                 lock, trylock: -> HELD|1;  a loser of that: -> 1
 *   n        free, n wait (or are awake to try)  one of them: -> HELD|n;  a newcomer: -> n+1
 *   HELD|1   held, nobody waits                  unlock: -> 0;  a newcomer: -> HELD|2
 *   HELD|n   held, n-1 wait                      unlock: -> n-1, and a wake;
 *                                                a newcomer: -> HELD|n+1
 *
 *   Illegal: a waiter that is not in the count.
 *
 * Faithful: the order of all steps of Listing 1; sequential consistency; E is a parameter. Slips
 * of the print: `Atomic(unsigned)` is _Atomic(unsigned), and `ftx_fetch_add` is atomic_fetch_add,
 * which returns the value before, so that the `+ 1` makes `cur` the word as it then is, lock bit
 * and all.  No correction was needed to make it work. A difference between listing and text: by
 * step 2(a) a newcomer spins E times and then waits.  In the listing the spin loop lies inside
 * `while (!ftx_lkd(cur))`, behind the compare-exchange, so a newcomer that finds the lock held
 * goes to the kernel at once; it spins only after it has seen the lock free and lost the race for
 * it.  The listing is what stands here; gustedt_text.h has the text.
 * Adapted: the compare-exchange is strong, which saves one turn of the loop on CPUs where the weak
 * one fails for no reason.
 *
 * No wake is lost.  A waiter is in the count from its fetch_add until its own unlock, so every
 * unlock that leaves a waiter behind sees a word other than HELD|1 and wakes one.  The wake may
 * find nobody:
 *
 *     W (waiter)                      O (owner)
 *     cur = HELD|2
 *                                     unlock: HELD|2 -> 1, wake: nobody sleeps yet
 *                                     lock: count 1 -> 2, then -> HELD|2 again
 *     futex_wait(HELD|2) sleeps
 *
 * and W has missed nothing: the word that it sleeps on says held, and that owner's unlock will
 * wake.
 *
 * Weaknesses: each arrival changes the word, so a waiter's futex_wait may fail and be tried
 * again, at most once per arrival (Lemma 3.2); a task that is killed inside stays in the count,
 * and each unlock makes a system call from then on; no order (section 3, "fairness ... is only a
 * secondary concern").
 */
typedef struct classic_gustedt {
    uint32_t word;
    uint32_t scope; /* enum classic_scope */
} classic_gustedt;

#define CLASSIC_GUSTEDT_INIT \
    {                        \
        0, CLASSIC_SHARED    \
    }

/*
 * E for the adapter, in loads.  The paper wants the spin to last 0.9 of the time of a failing
 * futex_wait at most (section 3.2).  On a 2-CPU x86-64 virtual machine such a call took 0.6 us
 * (100 000 calls, three times), and a load of a word that another CPU keeps writing up to 1.8 ns:
 * 300 of them are 0.54 us.  The exact number matters little, since the listing seldom spins.
 */
#define GUSTEDT_SPINS 300u

#define GUSTEDT_HELD 0x80000000u /* bit 31 */
#define GUSTEDT_ONE 1u           /* one task inside */

static inline bool gustedt_is_held(uint32_t word)
{
    return (word & GUSTEDT_HELD) != 0;
}

void classic_gustedt_lock_slow_(classic_gustedt *l, unsigned spins);

/* Takes the lock if nobody is inside: 0 or EBUSY. */
static inline int classic_gustedt_trylock(classic_gustedt *l)
{
    uint32_t nobody = 0;
    return sc_cas(&l->word, &nobody, GUSTEDT_HELD | GUSTEDT_ONE) ? 0 : EBUSY; /* 0 -> HELD|1 */
}

/* `spins` is the E of the paper. */
static inline void classic_gustedt_lock(classic_gustedt *l, unsigned spins)
{
    if (classic_gustedt_trylock(l) != 0)
        classic_gustedt_lock_slow_(l, spins);
}

static inline void classic_gustedt_unlock(classic_gustedt *l)
{
    uint32_t scope = l->scope;
    uint32_t previous = sc_fetch_sub(&l->word, GUSTEDT_HELD | GUSTEDT_ONE); /* HELD|n -> n-1 */
    if (previous != (GUSTEDT_HELD | GUSTEDT_ONE))
        word_wake_one(&l->word, scope);
}

#endif
