/* SPDX-License-Identifier: Dual MIT/GPL */
#ifndef FW_BPF_SCHED_ARRIVE_H
#define FW_BPF_SCHED_ARRIVE_H

/* A thread that is no task calls sched_yield: perhaps it asks to be one. */
#include "bpf/sched/parts.h"

static __always_inline void try_join(struct task_struct *p)
{
    struct fw_rt_scx_state *w = get_state();
    uint32_t grant = fw_grant_of(p->cred->euid.val), slot;
    struct fw_rt_scx_page *page;

    if (!w || grant >= FW_RT_SCX_GRANTS)
        return;
    slot = fw_asks_to_join(grant, number_of(p), started_of(p));
    if (slot >= FW_RT_TASKS)
        return;
    page = get_page(grant, slot);
    if (!page)
        return;
    if (!sched_trylock())
        return;
    join(w, grant, slot, page, p);
    sched_unlock();
}

#endif
