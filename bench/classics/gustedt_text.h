/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_GUSTEDT_TEXT_H
#define FW_CLASSICS_GUSTEDT_TEXT_H

#include "word.h"

/*
 * gustedt-text: the lock of Listing 1 (gustedt.h) as the paper's text describes it, and as it may
 * have been measured.
 *
 * From: Gustedt, "Futex based locks for C11's generic atomics" (INRIA RR-8818, 2015).  Section 3.1:
 * "(a) First, we spin E times ... to set the HO bit as well, and thus acquire the lock.  (b) If
 * that fails, we suppose that the lock is under congestion and we go into a futex_wait."  Section
 * 3.2: the spinning lasts t_mono, and "the best compromise would be to choose t_mono = E * t_fail.
 * Practically a factor of 0.9 always guarantees liveness".  Section 4.1: the implementation that
 * was measured "takes care of reducing the number of atomic operations to a minimum and to use
 * memory ordering for the locks that is adapted to the case".
 *
 * The word, its states and the argument against lost wakes are those of gustedt.h: a waiter is in
 * the count until its own unlock, and sleeps only on a word that says held.
 *
 * Faithful: 2(a) before 2(b), each time a waiter is awake; acquire and release instead of
 * sequential consistency; one atomic instruction each way without contention.
 * Adapted: E as a number of looks is in the lock, found when the lock is made
 * (classic_gustedt_text_spins): 0.9 * t_fail over the time of a look.  The paper's E as an
 * efficiency (t_mono / t_para) is taken as 1; `furwock calibrate` measures it, and finds 0.93 to
 * 0.99 on two CPUs.  What else the measured implementation did is not told.
 */
typedef struct classic_gustedt_text {
    uint32_t word;
    uint32_t scope; /* enum classic_scope */
    uint32_t spins; /* the E of section 3.1 */
} classic_gustedt_text;

#define GUSTEDT_TEXT_HELD 0x80000000u
#define GUSTEDT_TEXT_ONE 1u

/*
 * The E of this machine, measured once in a process, by threads of its own: some milliseconds.  At
 * least 1.
 */
uint32_t classic_gustedt_text_spins(void);

void classic_gustedt_text_lock_slow_(classic_gustedt_text *l);

static inline bool gustedt_text_cas(classic_gustedt_text *l, uint32_t *seen, uint32_t value)
{
    return __atomic_compare_exchange_n(&l->word, seen, value, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

/* Takes the lock if nobody is inside: 0 or EBUSY. */
static inline int classic_gustedt_text_trylock(classic_gustedt_text *l)
{
    uint32_t nobody = 0;
    /* 0 -> HELD|1 */
    return gustedt_text_cas(l, &nobody, GUSTEDT_TEXT_HELD | GUSTEDT_TEXT_ONE) ? 0 : EBUSY;
}

static inline void classic_gustedt_text_lock(classic_gustedt_text *l)
{
    if (classic_gustedt_text_trylock(l) != 0)
        classic_gustedt_text_lock_slow_(l);
}

static inline void classic_gustedt_text_unlock(classic_gustedt_text *l)
{
    uint32_t alone = GUSTEDT_TEXT_HELD | GUSTEDT_TEXT_ONE, scope = l->scope;
    if (__atomic_fetch_sub(&l->word, alone, __ATOMIC_RELEASE) != alone) /* HELD|n -> n-1 */
        word_wake_one(&l->word, scope);
}

#endif
