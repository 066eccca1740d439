/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include "bpf/sched/others.h"

#include "bpf/sched/notes.h"

int fw_run_others(uint32_t cpu, uint64_t now)
{
    struct cpu_side *its = &cpu_sides[cpu % FW_RT_CPUS];
    uint64_t first = QUEUE_OTHERS, second = QUEUE_PINNED(cpu);

    if (its->others_now) {
        first = QUEUE_PINNED(cpu);
        second = QUEUE_OTHERS;
    }
    its->others_now = !its->others_now;
    its->served_ns = now;
    return fw_dsq_move_to_local(first) || fw_dsq_move_to_local(second);
}

/*
 * MINIMAL_SLICE: on the CPU and off it at once, which is enough for the watchdog; if many wait they
 * could not all have a slice in time.
 */
enum relief { NO_RELIEF, MINIMAL_SLICE, WHOLE_SLICE };

/*
 * Have others waited for too long?  Since a decision that first found them behind a task, on a CPU
 * that tasks have had ever since: how long ago the last decision was says nothing of that.
 */
static __always_inline enum relief relief_due(uint32_t cpu, uint64_t now)
{
    struct cpu_side *its = &cpu_sides[cpu % FW_RT_CPUS];
    s32 most = scx_bpf_dsq_nr_queued(QUEUE_OTHERS), pinned;

    pinned = scx_bpf_dsq_nr_queued(QUEUE_PINNED(cpu));
    if (pinned > most)
        most = pinned;
    if (most <= 0) {
        its->others_ns = its->served_ns = 0;
        return NO_RELIEF;
    }
    if (its->others_ns == 0)
        its->others_ns = now;
    if (its->served_ns == 0)
        its->served_ns = now;
    if (now - its->others_ns > RELIEF_EVERY)
        return WHOLE_SLICE;
    /* The queues alternate. */
    return (now - its->served_ns) * 2 * (uint32_t)most > RELIEF_WITHIN ? MINIMAL_SLICE : NO_RELIEF;
}

int fw_relieve_starved(uint32_t cpu, uint64_t now)
{
    struct cpu_side *its = &cpu_sides[cpu % FW_RT_CPUS];
    struct fw_rt_scx_state *w = get_state();
    enum relief relief = relief_due(cpu, now);

    if (relief == NO_RELIEF)
        return false;
    if (w)
        w->counts.relief++;
    if (relief == WHOLE_SLICE)
        its->others_ns = now;
    if (!fw_run_others(cpu, now))
        return false;
    fw_notes_begin(relief == MINIMAL_SLICE ? FW_RT_SCX_BRIEF : FW_RT_SCX_STARVED, cpu, FW_RT_NONE,
                   now);
    if (relief == MINIMAL_SLICE)
        its->is_asked = 1; /* fw_running kicks */
    return true;
}

void fw_enqueue_other(struct task_struct *p, uint64_t flags)
{
    s32 cpu = fw_task_cpu(p), idle;

    if (p->nr_cpus_allowed == 1) {
        fw_dsq_insert(p, QUEUE_PINNED(cpu), SLICE_OTHERS, flags);
        kick(cpu, SCX_KICK_IDLE);
        return;
    }
    fw_dsq_insert(p, QUEUE_OTHERS, SLICE_OTHERS, flags);
    kick(cpu, SCX_KICK_IDLE);
    idle = scx_bpf_pick_idle_cpu(p->cpus_ptr, 0);
    if (idle >= 0)
        kick(idle, SCX_KICK_IDLE);
}

void fw_wake_idle(void)
{
    int i;

    if (scx_bpf_dsq_nr_queued(QUEUE_OTHERS) <= 0)
        return;
    FW_RT_EACH(i, FW_RT_CPUS)
    {
        if ((uint32_t)i < fw_nr_cpu_ids())
            kick(i, SCX_KICK_IDLE);
    }
}
