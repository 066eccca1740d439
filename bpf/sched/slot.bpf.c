/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include "bpf/sched/slot.h"

/* What the task has done since it was dispatched; what lies in its page is the user's word. */
static __always_inline void take_note(struct fw_rt_scx_state *w, uint32_t slot,
                                      struct fw_rt_scx_page *page)
{
    struct fw_rt_task_record *c = &w->state.task[slot % FW_RT_TASKS];
    volatile struct fw_rt_scx_page *its = page;
    uint64_t with_permit = permit_locks & c->opened, marked = its->marked & with_permit;
    uint32_t unlocked = its->unlocked;

    if (c->request != 0)
        marked &= ~fw_rt_bit(c->request - 1);
    if (side[slot % FW_RT_TASKS].leave == NO_LEAVE)
        marked &= c->held;
    if (unlocked) /* the task may be at it, on another CPU */
        unlocked = __sync_lock_test_and_set(&page->unlocked, 0);
    fw_rt_note(&w->state, slot, (its->locked & c->opened & ~with_permit) | marked, unlocked != 0);
    c->jobs = page->jobs;
    c->misses = page->misses;
}

/* Takes back the leave to lock by itself, and takes note of what it has made of it so far. */
static __always_inline void revoke(struct fw_rt_scx_state *w, uint32_t slot,
                                   struct fw_rt_scx_page *page)
{
    __sync_fetch_and_and(&page->locked, ~FW_RT_CAN_LOCK);
    take_note(w, slot, page);
}

/*
 * SCX1.  Before the task runs: what it may do without asking.  Nothing by itself where it is not on
 * its CPU: neither a task that is away, nor who may come back but has not been moved yet.
 */
static __always_inline void publish(struct fw_rt_scx_state *w, uint32_t slot,
                                    struct fw_rt_scx_page *page)
{
    struct side *its = &side[slot % FW_RT_TASKS];
    uint64_t opened = w->state.task[slot % FW_RT_TASKS].opened;
    bool may;

    if (its->leave == LEAVE_LOST)
        take_note(w, slot, page);
    may = !its->away && !its->elsewhere && fw_rt_can_lock(&w->state, slot);
    fence(); /* the locks of a task that dies are marked before they are free (reap) */
    may = may && !(opened & *(volatile uint64_t *)&died_locks);
    if (may)
        __sync_fetch_and_or(&page->locked, FW_RT_CAN_LOCK);
    else
        __sync_fetch_and_and(&page->locked, ~FW_RT_CAN_LOCK);
    may = may && (opened & permit_locks);
    its->leave = may ? LEAVE : NO_LEAVE;
    its->wants_permit = may;
    page->unlock_call = fw_rt_is_waited_for(&w->state, slot);
}

int fw_begin(uint32_t slot, uint32_t cpu)
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

int fw_note(uint32_t slot)
{
    struct fw_rt_scx_state *w = get_state();
    struct fw_rt_scx_page *page;

    if (slot >= FW_RT_TASKS || !w)
        return 0;
    page = page_of(slot);
    if (page)
        take_note(w, slot, page);
    return 0;
}

int fw_revoke(uint32_t slot)
{
    struct fw_rt_scx_state *w = get_state();
    struct fw_rt_scx_page *page;

    if (slot >= FW_RT_TASKS || !w)
        return 0;
    page = page_of(slot);
    if (page)
        revoke(w, slot, page);
    return 0;
}

int fw_withdraw(uint32_t slot, uint32_t away, uint32_t runs)
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
    revoke(w, slot, page);
    if (runs && side[slot].leave != NO_LEAVE) { /* PERMIT4 */
        struct fw_rt_task_record *c = &w->state.task[slot];
        side[slot].leave = LEAVE_LOST;
        c->held |= permit_locks & c->opened;
    }
    side[slot].wants_permit = 0;
    return 0;
}
