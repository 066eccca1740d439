/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_MUSL_H
#define FW_CLASSICS_MUSL_H

#include "word.h"

/*
 * musl: polls only as long as nobody sleeps.
 *
 * From: Gustedt, "Futex based locks for C11's generic atomics" (INRIA 2016), sections 2.3 and 4.4,
 * which tell the strategy of the low-level lock inside the C library musl: a word for the lock and
 * another that counts the waiters; "as soon as congestion is detected, spinning is abandoned and
 * threads directly attempt futex_wait.  This is meant to ensure fairness of lock acquisition".
 * Written from that description, not from musl's source.
 *
 *   word  meaning   left by
 *   0     free      lock, trylock: -> 1
 *   1     held      unlock: -> 0, and a wake where waiters is not 0
 *
 *   waiters: how many have given up polling, and have not seen the lock free since
 *
 *   Legal:   waiters counts one who is awake (one needless wake).
 *   Illegal: a sleeper that waiters does not count.
 *
 * Faithful: two words; the count is changed only by those who are about to sleep, or slept.
 * Adapted: what the description leaves open.  How long a thread polls (MUSL_LOOKS), and that a
 * woken thread begins anew, with polling where nobody else sleeps.
 *
 * No wake is lost.  A waiter counts itself, then sleeps while the word is 1; an unlock stores 0,
 * then reads the count.  By sequential consistency one of the two sees the other.
 *
 * Weaknesses: two words to look after where one would do; once somebody sleeps, everybody who
 * finds the lock taken goes to the kernel, though the section may be over in nanoseconds, and so
 * there is always somebody who sleeps; greedy all the same, for a newcomer may win against whoever
 * was woken.  The unlocker reads the count after the release: whoever has the lock next must not
 * free it.
 */
typedef struct classic_musl {
    uint32_t word;
    uint32_t waiters;
    uint32_t scope; /* enum classic_scope */
} classic_musl;

#define CLASSIC_MUSL_INIT    \
    {                        \
        0, 0, CLASSIC_SHARED \
    }

#define MUSL_LOOKS 100u /* 2.2 us on a 2-CPU x86-64 virtual machine, most of it pauses */

enum { MUSL_FREE = 0, MUSL_HELD = 1 };

void classic_musl_lock_slow_(classic_musl *l);

/* Takes the lock if it is free: 0 or EBUSY. */
static inline int classic_musl_trylock(classic_musl *l)
{
    return sc_exchange(&l->word, MUSL_HELD) == MUSL_FREE ? 0 : EBUSY; /* any -> HELD */
}

static inline void classic_musl_lock(classic_musl *l)
{
    if (classic_musl_trylock(l) != 0)
        classic_musl_lock_slow_(l);
}

static inline void classic_musl_unlock(classic_musl *l)
{
    sc_store(&l->word, MUSL_FREE); /* HELD -> FREE */
    if (sc_load(&l->waiters) != 0)
        word_wake_one(&l->word, l->scope);
}

#endif
