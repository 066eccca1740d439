/* SPDX-License-Identifier: MIT */
#ifndef FW_CORE_ADAPTIVE_SPIN_H
#define FW_CORE_ADAPTIVE_SPIN_H

#include <furwock/bits/atomic.h>

#include "core/wait.h"

/*
 * Does polling pay?  Where those who wait for each other run on different processors, polling saves
 * two system calls and a switch; where they share one, it only keeps the other from running.  Which
 * it is can be seen from what came of it last time: each object remembers how many of the next
 * waits go to sleep at once.  That number grows with each vain polling, and is 0 after a successful
 * one.  A word that all waiters change without care: a change that is lost does no harm.
 *
 *   bit   31 ... 16               15 ... 0
 *         waits to sleep at once  of these, still to come
 *
 * Only for waits by the process's default policy: who names a policy gets it.
 */
#define LUCK_SLEEPS_FIRST 63u
#define LUCK_SLEEPS_MAX 1023u

/* Polls as the policy has it, or, if it would be in vain, not at all. */
static inline bool fw_luck_begin_(fw_half_ *luck, struct fw_wait_ *w, const fw_wait_policy *policy)
{
    uint32_t l = fw_load32_relaxed(luck);

    if (policy != NULL && policy->kind != FW_WAIT_DEFAULT)
        return false;
    if (!fw_wait_blocks_(w) || (l & 0xffff) == 0)
        return true;
    w->budget_ns = 0;
    fw_store32_relaxed(luck, l - 1);
    return false;
}

static inline void fw_luck_end_(fw_half_ *luck, bool it_paid)
{
    uint32_t sleeps = fw_load32_relaxed(luck) >> 16;

    sleeps = it_paid ? 0 : 4 * sleeps + LUCK_SLEEPS_FIRST;
    if (sleeps > LUCK_SLEEPS_MAX)
        sleeps = LUCK_SLEEPS_MAX;
    fw_store32_relaxed(luck, sleeps << 16 | sleeps);
}

#endif
