/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The scheduler of tier B: partitioned fixed priorities, and the protocols of decide.h.  Runs in
 * the kernel (sched_ext); loader.c puts it there.
 *
 * All threads are its business.  A task (page.h) waits in a queue of its own, whatever its
 * priority; which task runs is decided afresh each time that the CPU looks for somebody, from what
 * tasks have in their pages.  So nothing has to be sorted anew when a priority is lent or boosted.
 * Others wait in order of arrival, and run when no task wants to.
 *
 * slot in         meaning                                      left by
 * --------------  -------------------------------------------  ----------------------------------
 * its queue       could run                                    fw_dispatch, which moves it to the
 *                                                              CPU's
 * the CPU's       runs, or is just about to; or a thread of    its slice ends (yield, `ask`)
 *                 another class has pushed it aside
 * none            sleeps; or is `away`: waits with the others  fw_enqueue
 *
 * SCHED1  No task runs that has not been noted since it ran last, and published after that: noted
 *     in fw_dispatch, fw_stopping, fw_yield; published in fw_running, and in fw_dispatch where it
 *     is to go on running.
 * SCHED2  Whatever makes another decision possible sets is_asked and kicks the CPU (`ask`); who
 *     begins to run and finds is_asked set was chosen too early, and kicks again.
 * SCHED3  A thread that could run is run once in a while, whoever holds it back: so it can die, and
 *     the kernel's watchdog is content.  (One of a CPU's tasks that have waited for a lock for
 *     TURN_EVERY: SLICE_TURN each TURN_EVERY.  One of the others: SLICE_OTHERS, where tasks have
 *     had the CPU for RELIEF_EVERY while they waited; and each of them within RELIEF_WITHIN.)
 */
#include "bpf/sched/answer.h"
#include "bpf/sched/decision.h"
#include "bpf/sched/notes.h"
#include "bpf/sched/others.h"
#include "bpf/sched/permits.h"
#include "bpf/sched/requests.h"
#include "bpf/sched/slot.h"
#include "bpf/sched/tasks.h"
#include "bpf/sched/tick.h"

/* ---- The running task ---- */

static __always_inline void set_slice(struct task_struct *p, uint64_t slice)
{
    if (config.has_set_slice)
        scx_bpf_task_set_slice(p, slice);
    else
        p->scx.slice = slice;
}

/* It is no task any more; somebody else's may have the slot. */
static __always_inline void end_task(struct task_struct *p, uint32_t slot)
{
    uint32_t *its = bpf_task_storage_get(&slots, p, NULL, 0);

    if (its)
        *its = 0;
    fw_reap(slot);
}

/* That of slot_of; a thread that has called exec is none any more: it may have other rights. */
static __always_inline uint32_t live_slot_of(struct task_struct *p)
{
    uint32_t slot = slot_of(p);

    if (slot >= FW_RT_TASKS || side[slot].program == p->self_exec_id)
        return slot;
    end_task(p, slot);
    return FW_RT_NONE;
}

/* No task wants the CPU, or the one that was chosen could not be run. */
static __always_inline void leave_to_others(uint32_t cpu, uint32_t chosen, uint64_t now)
{
    struct cpu_side *its = &cpu_sides[cpu % FW_RT_CPUS];
    struct fw_rt_scx_state *w = get_state();

    if (chosen >= FW_RT_TASKS) {
        its->others_ns = 0;
        return;
    }
    if (w)
        w->counts.not_queued++;
    fw_notes_begin(FW_RT_SCX_NOT_QUEUED, cpu, chosen, now);
}

SEC("struct_ops/fw_dispatch")
void BPF_PROG(fw_dispatch, s32 cpu, struct task_struct *previous)
{
    struct cpu_side *its = &cpu_sides[(uint32_t)cpu % FW_RT_CPUS];
    uint64_t now = bpf_ktime_get_ns();
    uint32_t slot = FW_RT_NONE, due, chosen;
    bool goes_on = previous && (previous->scx.flags & SCX_TASK_QUEUED);

    __sync_lock_test_and_set(&its->is_asked, 0); /* first (SCHED2) */
    if (goes_on)
        slot = live_slot_of(previous);
    fw_notes_end(cpu, slot, now);
    if (slot < FW_RT_TASKS) {
        /*
         * Where two CPUs choose together (core scheduling), this is one for the other, whose task
         * is in its program: it may not lock any more until it is published.
         */
        fw_revoke(slot);
        if (side[slot].away)
            fw_ask_for(slot);
        if (side[slot].away || side[slot].elsewhere)
            slot = FW_RT_NONE;
    }
    due = fw_refresh(cpu, now);
    if (due < FW_RT_TASKS && due != slot && fw_dsq_move_to_local(due)) {
        fw_notes_begin(FW_RT_SCX_TURN, cpu, due, now);
        return;
    }
    chosen = fw_decide(cpu);
    if (chosen < FW_RT_TASKS && fw_relieve_starved(cpu, now))
        return;
    if (chosen == slot && slot < FW_RT_TASKS) {
        set_slice(previous, SLICE);
        fw_begin(slot, cpu);
        fw_turn_permit(previous, slot);
        return;
    }
    if (chosen < FW_RT_TASKS && fw_dsq_move_to_local(chosen))
        return;
    leave_to_others(cpu, chosen, now);
    if (!fw_run_others(cpu, now) && goes_on && slot == FW_RT_NONE)
        set_slice(previous, SLICE_OTHERS);
}

SEC("struct_ops/fw_select_cpu")
s32 BPF_PROG(fw_select_cpu, struct task_struct *p, s32 previous, u64 flags)
{
    bool is_idle = false;

    if (slot_of(p) < FW_RT_TASKS)
        return previous;
    return scx_bpf_select_cpu_dfl(p, previous, flags, &is_idle);
}

SEC("struct_ops/fw_enqueue")
void BPF_PROG(fw_enqueue, struct task_struct *p, u64 flags)
{
    uint32_t slot = slot_of(p);

    if (slot >= FW_RT_TASKS || side[slot].away) {
        fw_enqueue_other(p, flags);
        return;
    }
    fw_dsq_insert(p, slot, fw_waits(slot) ? SLICE_TURN : SLICE, flags);
    if (side[slot].is_fresh) {
        side[slot].is_fresh = 0;
        fw_ask_for(slot);
    }
}

SEC("struct_ops/fw_runnable")
void BPF_PROG(fw_runnable, struct task_struct *p, u64 flags)
{
    uint32_t slot = slot_of(p);

    if (slot < FW_RT_TASKS) {
        struct fw_rt_scx_state *w = get_state();
        if (w)
            w->woke[slot] = bpf_ktime_get_ns();
        side[slot].is_fresh = 1;
        __sync_fetch_and_or(&runnable_slots, fw_rt_bit(slot));
    }
}

/* Kernels before 6.19 call exit_task only once the parent has taken note of the death. */
SEC("struct_ops/fw_quiescent")
void BPF_PROG(fw_quiescent, struct task_struct *p, u64 flags)
{
    uint32_t slot = slot_of(p);

    if (slot >= FW_RT_TASKS)
        return;
    __sync_fetch_and_and(&runnable_slots, ~fw_rt_bit(slot));
    if (p->__state & TASK_DEAD)
        end_task(p, slot);
}

SEC("struct_ops/fw_running")
void BPF_PROG(fw_running, struct task_struct *p)
{
    uint32_t slot = slot_of(p);
    s32 cpu = fw_task_cpu(p);
    struct cpu_side *its = &cpu_sides[(uint32_t)cpu % FW_RT_CPUS];

    if (slot < FW_RT_TASKS) {
        fw_begin(slot, cpu);
        fw_turn_permit(p, slot);
    } else if (its->is_asked == 0) { /* to stay */
        its->others_ns = 0;
    }
    if (its->is_asked != 0 && its->is_asked <= KICKS) {
        its->is_asked++;
        kick(cpu, SCX_KICK_PREEMPT);
    }
}

SEC("struct_ops/fw_stopping")
void BPF_PROG(fw_stopping, struct task_struct *p, bool runnable)
{
    uint32_t slot = live_slot_of(p);

    if (slot >= FW_RT_TASKS)
        return;
    fw_note(slot);
    if (side[slot].away)
        fw_ask_for(slot);
    if (side[slot].elsewhere) {
        side[slot].elsewhere = 0;
        side[slot].is_fresh = 1; /* for its own CPU */
    }
}

/* ---- What tasks ask for ---- */

SEC("struct_ops/fw_yield")
bool BPF_PROG(fw_yield, struct task_struct *from, struct task_struct *to)
{
    uint32_t slot = slot_of(from);
    struct fw_rt_scx_page *page;

    if (slot < FW_RT_TASKS)
        fw_make_works(from, slot);
    if (slot >= FW_RT_TASKS) {
        fw_try_join(from);
    } else if (fw_request(slot) == FW_RT_SCX_LEAVE) {
        page = page_of(slot);
        bpf_task_storage_delete(&slots, from);
        if (page)
            answer(page, 0); /* before another task can have the page */
        fw_reap(slot);
    }
    set_slice(from, 0);
    return false;
}

/* ---- Threads that go elsewhere ---- */

SEC("struct_ops/fw_set_cpumask")
void BPF_PROG(fw_set_cpumask, struct task_struct *p, const struct cpumask *mask)
{
    uint32_t slot = slot_of(p);
    struct fw_rt_scx_state *w = get_state();

    if (slot >= FW_RT_TASKS || !w)
        return;
    bool is_there = p->nr_cpus_allowed == 1 && fw_first_cpu(mask) == w->state.task[slot].cpu;
    fw_withdraw(slot, is_there ? FW_RT_SCX_HERE : FW_RT_SCX_AWAY, p->on_cpu);
    fw_turn_permit(p, slot);
    ask(w->state.task[slot].cpu);
}

/*
 * It goes to another class for a while, or for good, by its policy or by a priority that a mutex of
 * the kernel's lends to it; or the scheduler comes to its end (SCX2).  fw_set_cpumask is called
 * when it comes back.
 */
SEC("struct_ops/fw_disable")
void BPF_PROG(fw_disable, struct task_struct *p)
{
    uint32_t slot = slot_of(p);

    if (slot >= FW_RT_TASKS)
        return;
    __sync_fetch_and_and(&runnable_slots, ~fw_rt_bit(slot));
    fw_withdraw(slot, FW_RT_SCX_LEFT, p->on_cpu);
    fw_ask_for(slot);
    fw_turn_permit(p, slot);
}

/* Called for all that live, too, when the scheduler comes to its end. */
SEC("struct_ops/fw_exit_task")
void BPF_PROG(fw_exit_task, struct task_struct *p, struct scx_exit_task_args *args)
{
    uint32_t slot = slot_of(p);

    if (slot < FW_RT_TASKS && (p->flags & PF_EXITING))
        end_task(p, slot);
}

/* ---- CPUs that come and go ---- */

/*
 * CPUs that come and go; the kernel ends a scheduler that has no such functions.  Tasks of a CPU
 * that goes are moved, which makes them `away`.
 */
SEC("struct_ops/fw_cpu_online")
void BPF_PROG(fw_cpu_online, s32 cpu)
{
    cpu_sides[(uint32_t)cpu % FW_RT_CPUS].is_leaving = 0;
    cpu_sides[(uint32_t)cpu % FW_RT_CPUS].is_asked = 0;
}

SEC("struct_ops/fw_cpu_offline")
void BPF_PROG(fw_cpu_offline, s32 cpu)
{
    cpu_sides[(uint32_t)cpu % FW_RT_CPUS].is_leaving = 1;
    cpu_sides[(uint32_t)cpu % FW_RT_CPUS].is_asked = 0;
}

/* ---- Beginning and end ---- */

SEC("struct_ops/fw_init")
s32 BPF_PROG(fw_init)
{
    struct fw_rt_scx_state *w = get_state();
    s32 error = scx_bpf_create_dsq(QUEUE_OTHERS, -1);
    int i;

    if (!w)
        return -EINVAL;
    FW_RT_EACH(i, FW_RT_TASKS)
    {
        if (error == 0)
            error = scx_bpf_create_dsq(i, -1);
    }
    FW_RT_EACH(i, FW_RT_CPUS)
    {
        if (error == 0 && (uint32_t)i < fw_nr_cpu_ids())
            error = scx_bpf_create_dsq(QUEUE_PINNED(i), -1);
    }
    if (error != 0)
        return error;
    fw_tick_start();
    w->state.alive = 1;
    return 0;
}

/* All threads have left (SCX2, PERMIT5). */
SEC("struct_ops/fw_exit")
void BPF_PROG(fw_exit, struct scx_exit_info *info)
{
    struct fw_rt_scx_state *w = get_state();

    if (!w)
        return;
    bpf_probe_read_kernel_str(w->reason, sizeof w->reason, info->reason);
    bpf_probe_read_kernel_str(w->details, sizeof w->details, info->msg);
    w->exit_kind = info->kind;
    w->exit_code = info->exit_code;
    fw_close_permits();
    __sync_lock_test_and_set(&w->state.alive, 0);
}

SEC(".struct_ops")
struct sched_ext_ops fw_scheduler = {
    .select_cpu = (void *)fw_select_cpu,
    .enqueue = (void *)fw_enqueue,
    .dispatch = (void *)fw_dispatch,
    .runnable = (void *)fw_runnable,
    .running = (void *)fw_running,
    .stopping = (void *)fw_stopping,
    .quiescent = (void *)fw_quiescent,
    .yield = (void *)fw_yield,
    .set_cpumask = (void *)fw_set_cpumask,
    .exit_task = (void *)fw_exit_task,
    .disable = (void *)fw_disable,
    .cpu_online = (void *)fw_cpu_online,
    .cpu_offline = (void *)fw_cpu_offline,
    .init = (void *)fw_init,
    .exit = (void *)fw_exit,
    /* All that could run comes by fw_enqueue; the kernel itself would put it before all others. */
    .flags = SCX_OPS_ENQ_LAST | SCX_OPS_ENQ_EXITING | SCX_OPS_ENQ_MIGRATION_DISABLED,
    .timeout_ms = 30000,
    .name = "furwock_rt",
};
