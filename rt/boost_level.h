/* SPDX-License-Identifier: MIT */
#ifndef FW_RT_BOOST_LEVEL_H
#define FW_RT_BOOST_LEVEL_H

/*
 * Where the kernel has a task under MPCP or FMLP+ that it knows to be boosted (boost.c, BOOST6):
 * who waits in a queue, a task that is in a section under one of the baselines, and the owner of a
 * lock that somebody waits for (raise.c).
 *
 * MPCP: 49 and the lock's ceiling for the task's CPU.  FMLP+: 98, or one less than the lowest that
 * another task of the CPU is raised to, so that older requests go first; 50 at the least, where
 * those that come later are equal.
 *
 * A task that had to wait for a lock with deferred updates is lowered as soon as it has it, if that
 * changes nothing, and nobody else waits: then it is as one that got the lock at once, and its
 * unlock need not ask the kernel.
 */
#include <sched.h>

#include "rt/internal.h"
#include "sys/schedule.h"

/* What SCHED_FIFO has above the base priorities; the very highest is left to the system. */
enum { FW_RT_LOWEST_BOOST = FW_RT_PRIORITY_MAX + 1, FW_RT_HIGHEST_BOOST = 98 };

/* SCHED_FIFO; and if children were to begin without it, that stays so. */
static inline int fw_rt_policy_(const struct fw_rt_task *t)
{
    return SCHED_FIFO | (t->old_policy & SCHED_RESET_ON_FORK);
}

static inline uint32_t fw_rt_level_by_age_(const struct fw_rt_state *w, uint32_t slot)
{
    uint32_t level = FW_RT_HIGHEST_BOOST + 1, tasks = fw_load32_relaxed(&w->tasks);

    for (uint32_t i = 0; i < tasks && i < FW_RT_TASKS; i++) {
        const struct fw_rt_task_record *c = &w->task[i];
        uint32_t boost = fw_load32_relaxed(&c->boost);
        if (i != slot && boost != 0 && boost < level && c->cpu == w->task[slot].cpu &&
            fw_load32_relaxed(&c->state) == FW_RT_LIVE)
            level = boost;
    }
    return level <= FW_RT_LOWEST_BOOST ? FW_RT_LOWEST_BOOST : level - 1;
}

/* Where the task in that slot, which is raised by nobody yet, is to be for that lock. */
static inline uint32_t fw_rt_boost_level_(const struct fw_rt_state *w,
                                          const struct fw_rt_lock_record *l, uint32_t slot)
{
    uint32_t level;

    if (l->kind == FW_RT_KIND_FMLP)
        return fw_rt_level_by_age_(w, slot);
    level = FW_RT_PRIORITY_MAX + fw_rt_remote_ceiling(l, w->task[slot].cpu);
    return level < FW_RT_LOWEST_BOOST ? FW_RT_LOWEST_BOOST : level;
}

/* The baselines: nobody else raises the task. */
__attribute__((cold, noinline, unused)) static void
fw_rt_raise_slow_(struct fw_rt_task *t, const struct fw_rt_lock_record *l)
{
    uint32_t level;

    if (fw_load32_relaxed(&t->record->boost) != 0)
        return;
    level = fw_rt_boost_level_(t->state, l, t->slot);
    fw_store32_relaxed(&t->record->boost, level);
    /* Refused: somebody has taken the right away since the task began; it goes on as it is. */
    fw_schedule_(0, fw_rt_policy_(t), (int)level);
}

__attribute__((cold, noinline)) static void fw_rt_lower_slow_(struct fw_rt_task *t)
{
    fw_schedule_(0, fw_rt_policy_(t), (int)t->record->base); /* F:rt-boost-stays */
    fw_store32_relaxed(&t->record->boost, 0);
}

/*
 * By the owner of lock d: would no other task of its CPU run before it, or have to, were it not
 * raised?  Those that sleep in the library are none: they look for its section when they wake up.
 */
static inline bool fw_rt_is_first_anyway_(const struct fw_rt_task *t, uint32_t d)
{
    const struct fw_rt_task_record *own = t->record;
    uint32_t tasks = fw_load32_relaxed(&t->state->tasks);

    for (uint32_t i = 0; i < tasks && i < FW_RT_TASKS; i++) {
        const struct fw_rt_task_record *c = &t->state->task[i];
        if (i == t->slot || c->cpu != own->cpu || fw_load32_relaxed(&c->state) != FW_RT_LIVE)
            continue;
        if ((fw_load64_relaxed(&c->held) & ~fw_rt_bit(d)) != 0 || /* F:rt-boost-lowered-early */
            fw_load32_relaxed(&c->boost) != 0 ||
            (fw_load32_relaxed(&c->ready) != 0 && c->base >= own->base))
            return false;
    }
    return true;
}

#endif
