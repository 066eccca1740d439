/* SPDX-License-Identifier: MIT */
/*
 * Wake-up points (tier A).  The kernel runs a task that wakes up at once if its base priority is
 * the highest, and does not know that another one is in a section under IPCP, MPCP or FMLP+ that
 * outranks it.  So a task that wakes up in the library looks for such sections, and waits for them
 * at their proxies (proxy.c), lending its priority.
 *
 * WAKE1  When fw_rt_yield_to_first_ returns 0, no task of the CPU is in a section that outranks the
 *     caller (fw_rt_ahead), or it has begun it after the caller was last preempted.
 */
#include "rt/internal.h"

#include <errno.h>
#include <sched.h>

int fw_rt_check_cpu_(struct fw_rt_task *t)
{
    int cpu = sched_getcpu();

    if (cpu < 0 || (uint32_t)cpu == t->record->cpu)
        return 0;
    return fw_rt_fail_(EXDEV, "the task \"%.31s\" belongs on CPU %u, and was moved to CPU %d",
                       t->record->name, t->record->cpu, cpu);
}

int fw_rt_yield_to_first_(struct fw_rt_task *t)
{
    bool is_new = false;
    int error = 0;

    for (;;) {
        struct fw_rt_obstacle o = fw_rt_ahead(t->state, t->slot);
        if (o.lock == FW_RT_NONE) /* F:rt-wakes-blindly */
            break;
        error = fw_rt_check_cpu_(t);
        if (error != 0)
            break;
        if (!is_new)
            is_new = fw_rt_wait_begins_(t);
        error = fw_rt_proxy_wait_(t, o);
        if (error != 0)
            break;
    }
    fw_rt_wait_ends_(t, is_new);
    return error;
}
