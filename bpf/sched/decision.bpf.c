/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Which task a CPU runs.  The calls: decision.h. */
#include "bpf/sched/decision.h"

#include "bpf/sched/answer.h"
#include "bpf/sched/requests.h"
#include "bpf/sched/slot.h"
#include "bpf/sched/tasks.h"

int fw_ask_for(uint32_t slot)
{
    struct fw_rt_scx_state *w = get_state();

    if (slot < FW_RT_TASKS && w)
        ask(w->state.task[slot].cpu);
    return 0;
}

/* Another CPU may have written `then` a moment after `now`. */
static __always_inline bool is_past(uint64_t now, uint64_t then, uint64_t after)
{
    return (int64_t)(now - then) > (int64_t)after;
}

int fw_waits(uint32_t slot)
{
    struct fw_rt_scx_state *w = get_state();

    return slot < FW_RT_TASKS && w && w->state.task[slot].request != 0;
}

int fw_refresh(uint32_t cpu, uint64_t now)
{
    struct fw_rt_scx_state *w = get_state();
    uint64_t could = *(volatile uint64_t *)&runnable_slots;
    uint64_t lost = *(volatile uint64_t *)&lost_slots;
    bool may_turn = is_past(now, cpu_sides[cpu % FW_RT_CPUS].turn_ns, TURN_EVERY);
    uint32_t due = FW_RT_NONE;
    int i;

    if (!w)
        return due;
    FW_RT_EACH(i, FW_RT_TASKS)
    {
        struct fw_rt_task_record *c = &w->state.task[i];
        if (c->state != FW_RT_LIVE || c->cpu != cpu)
            continue;
        if (lost & fw_rt_bit(i))
            fw_reap(i);
        if (side[i].leave == LEAVE_LOST && !is_open(i)) { /* PERMIT4 */
            fw_note(i);
            if (side[i].away)
                fw_ask_for(i);
            __sync_val_compare_and_swap(&side[i].leave, LEAVE_LOST, NO_LEAVE);
        }
        if (side[i].away && side[i].leave != LEAVE_LOST)
            fw_look_after(i);
        bool can = (could & fw_rt_bit(i)) && !side[i].away && !side[i].elsewhere;
        c->ready = can && !side[i].is_queued;
        if (may_turn && can && c->request != 0 && is_past(now, side[i].turn_ns, TURN_EVERY) &&
            (due == FW_RT_NONE || side[i].turn_ns < side[due % FW_RT_TASKS].turn_ns))
            due = i;
    }
    fence(); /* who has left a queue asks for nothing any more (hand_over) */
    if (due < FW_RT_TASKS) {
        w->counts.turns++;
        side[due].turn_ns = cpu_sides[cpu % FW_RT_CPUS].turn_ns = now;
    }
    return due;
}

int fw_decide(uint32_t cpu)
{
    struct fw_rt_scx_state *w = get_state();
    struct fw_rt_scx_page *page;
    struct fw_rt_pick pick;

    if (!w)
        return FW_RT_NONE;
    pick = fw_rt_dispatch(&w->state, cpu);
    w->counts.dispatches++;
    if (pick.task >= FW_RT_TASKS)
        return FW_RT_NONE;
    if (pick.lender != FW_RT_NONE)
        w->counts.donations++;
    if (pick.granted != 0) {
        page = page_of(pick.task);
        if (page)
            give(w, page, pick.granted - 1);
        w->state.task[pick.task].since = 0;
    }
    return pick.task;
}
