/* SPDX-License-Identifier: MIT */
#ifndef FW_CORE_ADAPTIVE_SPIN_H
#define FW_CORE_ADAPTIVE_SPIN_H

#include <furwock/bits/atomic.h>

#include "core/wait.h"

/*
 * Does spinning pay?  Between threads on different CPUs it saves two system calls and a context
 * switch; on one CPU it only keeps the other thread from running.  Which of the two holds shows in
 * how the last wait ended: each object remembers how many of the next waits go to sleep at once.
 * That number grows with each spin that found nothing and is 0 after a successful one.  All waiters
 * update the word without synchronisation: a lost update does no harm.
 *
 *   bit   31 ... 16               15 ... 0
 *         waits to sleep at once  of these, still to come
 *
 * It applies to waits by the process's default policy only: a caller that names a policy gets it.
 *
 * Two places decide for themselves, because their objects have no memory for this word: a mutex
 * that inherits priority (posix/mutex_pi.c) has the kernel's layout, and a generic atomic object
 * (atomic/contended.c) has none but its own bytes.  So there the thread remembers.  They also
 * decide something else: the first halves its spinning after each failure rather than skip it for a
 * number of waits; the second never sleeps, and asks only whether to yield.
 */
#define SPIN_SLEEPS_FIRST 63u
#define SPIN_SLEEPS_MAX 1023u

/* Leaves the policy its spinning budget, or takes it away where spinning has not paid. */
static inline bool fw_adaptive_spin_begin_(fw_half_ *state, struct fw_wait_ *w,
                                           const fw_wait_policy *policy)
{
    uint32_t l = fw_load32_relaxed(state);

    if (policy != NULL &&
        ((unsigned)policy->kind & ~(unsigned)FW_WAIT_INTERRUPTIBLE) != FW_WAIT_DEFAULT)
        return false;
    if (!fw_wait_blocks_(w) || (l & 0xffff) == 0)
        return true;
    w->budget_ns = 0;
    fw_store32_relaxed(state, l - 1);
    return false;
}

static inline void fw_adaptive_spin_end_(fw_half_ *state, bool it_paid)
{
    uint32_t sleeps = fw_load32_relaxed(state) >> 16;

    sleeps = it_paid ? 0 : 4 * sleeps + SPIN_SLEEPS_FIRST;
    if (sleeps > SPIN_SLEEPS_MAX)
        sleeps = SPIN_SLEEPS_MAX;
    fw_store32_relaxed(state, sleeps << 16 | sleeps);
}

/*
 * For objects of which all threads wait for the same (a barrier), which remember only whether
 * somebody slept in the last round: then all sleep, and one round in this many tries to spin again.
 * doc/design/barrier.md.
 */
#define SPIN_ROUNDS_PER_TRIAL 256u

static inline bool fw_adaptive_spin_round_(bool has_slept, uint32_t round)
{
    return !has_slept || round % SPIN_ROUNDS_PER_TRIAL == 0;
}

#endif
