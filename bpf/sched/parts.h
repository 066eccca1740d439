/* SPDX-License-Identifier: Dual MIT/GPL */
#ifndef FW_BPF_SCHED_PARTS_H
#define FW_BPF_SCHED_PARTS_H

/*
 * The parts that the kernel's verifier looks at one by one, once for all who call them: so they are
 * functions that anybody might call, with any numbers.
 */
#include "bpf/sched/members.h"

/* SCX1: the task is about to run on that CPU. */
__attribute__((noinline)) int fw_begin(uint32_t slot, uint32_t cpu)
{
    struct fw_rt_scx_state *w = get_state();
    struct fw_rt_scx_page *page;

    if (slot >= FW_RT_TASKS || !w)
        return 0;
    side[slot].elsewhere = cpu != w->state.task[slot].cpu;
    page = page_of(slot);
    if (page)
        publish(w, slot, page);
    return 0;
}

__attribute__((noinline)) int fw_note(uint32_t slot)
{
    struct fw_rt_scx_state *w = get_state();
    struct fw_rt_scx_page *page;

    if (slot >= FW_RT_TASKS || !w)
        return 0;
    page = page_of(slot);
    if (page)
        note(w, slot, page);
    if (side[slot].away)
        ask(w->state.task[slot].cpu);
    return 0;
}

/*
 * Before a decision.  Where two CPUs choose together (core scheduling), it is one for the
 * other, whose task is in its program: it may not lock any more until it is published.
 */
__attribute__((noinline)) int fw_take_back(uint32_t slot)
{
    struct fw_rt_scx_state *w = get_state();
    struct fw_rt_scx_page *page;

    if (slot >= FW_RT_TASKS || !w)
        return 0;
    page = page_of(slot);
    if (page)
        withdraw(w, slot, page);
    if (side[slot].away)
        ask(w->state.task[slot].cpu);
    return 0;
}

/* The CPU of that task is to decide anew, wherever the task is. */
__attribute__((noinline)) int fw_ask_for(uint32_t slot)
{
    struct fw_rt_scx_state *w = get_state();

    if (slot < FW_RT_TASKS && w)
        ask(w->state.task[slot].cpu);
    return 0;
}

__attribute__((noinline)) int fw_open(uint32_t slot)
{
    struct fw_rt_scx_state *w = get_state();
    struct fw_rt_scx_page *page;

    if (slot >= FW_RT_TASKS || !w)
        return 0;
    page = page_of(slot);
    if (page) {
        struct request request = read_request(page);
        open(w, slot, page, &request);
    }
    return 0;
}

/* What the page asks for, except for JOIN and LEAVE. */
__attribute__((noinline)) int fw_serve(uint32_t slot)
{
    struct fw_rt_scx_state *w = get_state();
    struct fw_rt_scx_page *page;
    uint32_t op, d;

    if (slot >= FW_RT_TASKS || !w)
        return 0;
    page = page_of(slot);
    if (!page)
        return 0;
    if (!sched_trylock())
        return 0;
    op = *(volatile uint32_t *)&page->op;
    d = *(volatile uint32_t *)&page->desc;
    if (op == FW_RT_SCX_OPEN)
        fw_open(slot);
    else if (op == FW_RT_SCX_LOCK || op == FW_RT_SCX_TRY)
        lock(w, slot, page, d, op == FW_RT_SCX_LOCK);
    else if (op == FW_RT_SCX_UNLOCK)
        unlock(w, slot, page, d);
    else if (op != FW_RT_SCX_NOTHING)
        answer(page, EINVAL);
    sched_unlock();
    return 0;
}

/*
 * Of a task that is away: nobody may hear when it leaves a section, or asks.  What others of its
 * CPU want must not depend on when it is back.
 */
__attribute__((noinline)) int fw_look_after(uint32_t slot)
{
    struct fw_rt_scx_state *w = get_state();
    struct fw_rt_scx_page *page;
    uint32_t op;

    if (slot >= FW_RT_TASKS || !w)
        return 0;
    page = page_of(slot);
    if (!page)
        return 0;
    __sync_val_compare_and_swap(&page->away, FW_RT_SCX_LEFT, FW_RT_SCX_AWAY);
    note(w, slot, page);
    op = *(volatile uint32_t *)&page->op;
    if (op != FW_RT_SCX_NOTHING && op != FW_RT_SCX_JOIN && op != FW_RT_SCX_LEAVE)
        fw_serve(slot);
    return 0;
}

/* It is no task any more.  Where that cannot be noted now, its CPU's decisions try again. */
__attribute__((noinline)) int fw_reap(uint32_t slot)
{
    struct fw_rt_scx_state *w = get_state();
    struct fw_rt_scx_page *page;
    uint64_t opened;

    if (slot >= FW_RT_TASKS || !w)
        return 0;
    page = page_of(slot);
    if (!page)
        return 0;
    __sync_fetch_and_and(&runnable_slots, ~fw_rt_bit(slot));
    if (sched_trylock()) {
        __sync_fetch_and_and(&lost_slots, ~fw_rt_bit(slot));
        opened = w->state.task[slot].opened;
        reap(w, slot, page);
        resolve_all(w, slot, opened);
        sched_unlock();
        ask(w->state.task[slot].cpu);
    } else {
        __sync_fetch_and_or(&lost_slots, fw_rt_bit(slot));
    }
    return 0;
}

/* Another CPU may have written `then` a moment after `now`. */
static __always_inline bool is_past(uint64_t now, uint64_t then, uint64_t after)
{
    return (int64_t)(now - then) > (int64_t)after;
}

/* Does it ask for a lock, and has it not? */
__attribute__((noinline)) int fw_waits(uint32_t slot)
{
    struct fw_rt_scx_state *w = get_state();

    return slot < FW_RT_TASKS && w && w->state.task[slot].request != 0;
}

/*
 * Which tasks of the CPU compete.  FW_RT_NONE, or one that is blocked and due to look: a task
 * that has waited longest for that.  A turn is above all priorities, so all of a CPU's tasks share
 * them.
 */
__attribute__((noinline)) int fw_refresh(uint32_t cpu, uint64_t now)
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

/* Who runs.  Tells it of a lock that it got by that. */
__attribute__((noinline)) int fw_decide(uint32_t cpu)
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

__attribute__((noinline)) int fw_withdraw(uint32_t slot, uint32_t away, uint32_t runs)
{
    struct fw_rt_scx_state *w = get_state();
    struct fw_rt_scx_page *page;

    if (slot >= FW_RT_TASKS || !w)
        return 0;
    page = page_of(slot);
    if (!page)
        return 0;
    side[slot].away = away;
    page->away = away;
    withdraw(w, slot, page);
    if (runs && side[slot].leave != NO_LEAVE) { /* PERMIT4 */
        struct fw_rt_task_record *c = &w->state.task[slot];
        side[slot].leave = LEAVE_LOST;
        c->held |= permit_locks & c->opened;
    }
    side[slot].wants_permit = 0;
    return 0;
}

/*
 * All except JOIN.  Returns what is left to do: LEAVE.  A task that is to be on its CPU, and is not
 * there yet, asks again from there.
 */
__attribute__((noinline)) int fw_request(uint32_t slot)
{
    struct fw_rt_scx_state *w = get_state();
    struct fw_rt_scx_page *page;
    uint32_t op;

    if (slot >= FW_RT_TASKS || !w)
        return 0;
    page = page_of(slot);
    if (!page || (side[slot].elsewhere && !side[slot].away))
        return 0;
    note(w, slot, page);
    op = *(volatile uint32_t *)&page->op;
    if (op == FW_RT_SCX_NOTHING || op == FW_RT_SCX_LEAVE)
        return op;
    w->counts.requests++;
    return fw_serve(slot);
}

/* Which grant the user has; FW_RT_NONE: none. */
__attribute__((noinline)) int fw_grant_of(uint32_t uid)
{
    struct fw_rt_scx_state *w = get_state();
    uint32_t found = FW_RT_NONE;
    int i;

    if (!w)
        return found;
    FW_RT_EACH(i, FW_RT_SCX_GRANTS)
    {
        if ((uint32_t)i < w->grants && w->grant[i].uid == uid)
            found = i;
    }
    return found;
}

/*
 * The slot whose page asks for this thread to join; FW_RT_NONE: none.  Threads of two pid
 * namespaces may have the same number, or one that died while it asked: rather that of a thread
 * which began when this one did.
 */
__attribute__((noinline)) int fw_asks_to_join(uint32_t grant, uint32_t tid, uint64_t started)
{
    uint32_t found = FW_RT_NONE;
    bool is_sure = false;
    int i;

    FW_RT_EACH(i, FW_RT_TASKS)
    {
        volatile struct fw_rt_scx_page *page = get_page(grant, i);
        if (!page || page->op != FW_RT_SCX_JOIN || page->tid != tid || is_sure)
            continue;
        is_sure = page->spare[FW_RT_SCX_STARTED] == started;
        found = i;
    }
    return found;
}

#endif
