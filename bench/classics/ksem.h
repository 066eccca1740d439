/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_KSEM_H
#define FW_CLASSICS_KSEM_H

#include "word.h"

/*
 * ksem: the kernel's wait queue of a ulock, emulated on a futex.
 *
 * From: Franke, Russell and Kirkwood, "Fuss, Futexes and Furwocks" (OLS 2002), section 3: ulocks
 * keep "kernel internal wait-queues using kernel semaphores (struct semaphore) which are
 * initialized with a value 0.  A premature wakeup call, i.e. no pending waiter yet, simply
 * increases the kernel semaphore's count to 1.  Once the pending wait arrives it simply
 * decrements the count back to 0 and exits the system call without waiting".
 *
 *   bits 0-15    early: ups that met no sleeper; whoever comes down takes one
 *   bits 16-31   given: ups that met a sleeper; only a task whose sleep a wake has ended takes one
 *
 *   word            meaning                        left by
 *   0               come down: sleep               up: -> a given one
 *   given, early    units on their way to tasks    down of a woken task: one given less, or where
 *                                                  there is none, one early less;  down of
 *                                                  another: one early less;  up that met
 *                                                  nobody: given -> early
 *
 *   Illegal: a given unit with no woken task to take it; an early unit while somebody sleeps,
 *            unless a wake is still to come or a woken task is on its way.
 *
 * Faithful: a counting semaphore from 0, first come first served, no up is ever lost.
 * Adapted: today's struct semaphore gives an up to its longest sleeper, and nobody can come in
 * between; so does this.  That of 2002 could be overtaken by a task that came down at the right
 * moment, which may be why the paper's fair ulocks were reacquired in 8 % of the cases (section
 * 4.1).  usema.h has a queue of that kind.
 *
 * In a kernel scope it is no emulation: SEM_DOWN and SEM_UP of furwock.ko, whose semaphore belongs
 * to the word, which stays 0.
 *
 * Rules: at most 65535 units at a time, so at most as many tasks at one lock.  A task that is
 * killed after a wake has met it takes its unit along.
 *
 * No up is lost.  A task goes to sleep only on a word that has no unit for it; the kernel checks
 * that.
 *
 *     U (up)                          D (down, not asleep yet)
 *                                     sees 0
 *     0 -> given 1
 *                                     wait(0) fails; sees given 1, not for it; wait(given 1) sleeps
 *     wake: meets D, or else:
 *     given 1 -> early 1, wake
 *                                     wait fails, or the wake met it; takes early 1
 *
 * Late wakes may end more sleeps than there are given units, and one woken task may take the unit
 * of another.  No matter: a woken task takes given units before early ones, and sleeps again only
 * where there is neither.  So when the last woken task has gone, no given unit is left.
 */
typedef struct classic_ksem {
    uint32_t units;
    uint32_t scope; /* enum classic_scope */
} classic_ksem;

#define KSEM_EARLY 1u       /* one in bits 0-15 */
#define KSEM_GIVEN 0x10000u /* one in bits 16-31 */
#define KSEM_EARLY_ALL 0xffffu

static inline bool ksem_has_early(uint32_t units)
{
    return (units & KSEM_EARLY_ALL) != 0;
}

static inline bool ksem_has_given(uint32_t units)
{
    return units >= KSEM_GIVEN;
}

/* Takes a unit, sleeping until there is one. */
void classic_ksem_down(classic_ksem *k);

/*
 * Gives n units to the n longest sleepers, and keeps what is left for those who come down next:
 * "to wakeup multiple pending read requests, the number of task to be woken up is passed through
 * the system call interface".
 */
void classic_ksem_up_many(classic_ksem *k, uint32_t n);

static inline void classic_ksem_up(classic_ksem *k)
{
    classic_ksem_up_many(k, 1);
}

#endif
