/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_SCHED_ANSWER_H
#define FW_BPF_SCHED_ANSWER_H

/* What tasks are told in their pages.  With `sched_lock` held, or by the CPU of the task. */
#include "bpf/sched/memory.h"

/* Is the lock one whose last owner has died?  A task that is told is the only one. */
static __always_inline uint32_t tell_died(struct fw_rt_scx_state *w, uint32_t d)
{
    struct fw_rt_lock_record *l = &w->state.lock[fw_rt_lock_index(d)];
    uint32_t died = l->died;

    l->died = 0;
    __sync_fetch_and_and(&died_locks, ~fw_rt_bit(d));
    return died ? EOWNERDEAD : 0;
}

static __always_inline void mark_died(struct fw_rt_scx_state *w, uint32_t d)
{
    w->state.lock[fw_rt_lock_index(d)].died = 1;
    __sync_fetch_and_or(&died_locks, fw_rt_bit(d));
}

/* Answers what the page asks for: `op` last, for the task may be looking, on another CPU. */
static __always_inline void answer(struct fw_rt_scx_page *page, uint32_t result)
{
    volatile struct fw_rt_scx_page *its = page;

    its->result = result;
    __sync_lock_test_and_set(&page->op, FW_RT_SCX_NOTHING);
}

/* The lock is the task's: it is told so. */
static __always_inline void give(struct fw_rt_scx_state *w, struct fw_rt_scx_page *page, uint32_t d)
{
    if (!(permit_locks & fw_rt_bit(d))) /* of a permit's the task has set the bit itself */
        __sync_fetch_and_or(&page->locked, fw_rt_bit(d));
    answer(page, tell_died(w, d));
    w->counts.grants++;
}

#endif
