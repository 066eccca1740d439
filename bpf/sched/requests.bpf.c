/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What tasks ask for by sched_yield (page.h), JOIN and LEAVE excluded.  The calls: requests.h. */
#include "bpf/sched/requests.h"

#include "bpf/sched/answer.h"
#include "bpf/sched/open.h"
#include "bpf/sched/queues.h"
#include "bpf/sched/slot.h"

static __always_inline void lock_queue(struct fw_rt_scx_state *w, uint32_t slot,
                                       struct fw_rt_scx_page *page, uint32_t d, bool may_wait)
{
    struct fw_rt_scx_shared *shared = shared_of(slot);
    struct fw_rt_task_record *c = &w->state.task[slot % FW_RT_TASKS];
    struct fw_rt_lock_record *l = &w->state.lock[fw_rt_lock_index(d)];

    if (!shared)
        return;
    if (shared->token[fw_rt_lock_index(d)]) {
        shared->token[fw_rt_lock_index(d)] = 0;
        __sync_fetch_and_or(&shared->queue[fw_rt_lock_index(d)], fw_rt_bit(slot));
        l->owner = slot % FW_RT_TASKS + 1;
        give(w, page, d);
        return;
    }
    if (!may_wait) {
        fw_queue_resolve(slot, d);
        if (fw_queue_take_over(slot, d))
            give(w, page, d);
        else
            answer(page, EBUSY);
        return;
    }
    c->ticket = l->tickets++;
    c->request = d + 1;
    c->since = bpf_ktime_get_ns();
    l->waiters |= fw_rt_bit(slot);
    side[slot % FW_RT_TASKS].is_queued = 1;
    side[slot % FW_RT_TASKS].turn_ns = c->since;
    fw_queue_resolve(slot, d);
}

static __always_inline void lock_ceiling(struct fw_rt_scx_state *w, uint32_t slot,
                                         struct fw_rt_scx_page *page, uint32_t d, bool may_wait)
{
    struct fw_rt_task_record *c = &w->state.task[slot % FW_RT_TASKS];

    if (may_wait) {
        c->request = d + 1; /* fw_rt_dispatch grants it */
        c->since = bpf_ktime_get_ns();
        side[slot % FW_RT_TASKS].turn_ns = c->since;
        return;
    }
    if (fw_rt_obstacle(&w->state, slot, d).lock != FW_RT_NONE) {
        answer(page, EBUSY);
        return;
    }
    c->held |= fw_rt_bit(d);
    give(w, page, d);
}

/* Asks already, and was let through to look; or it has been taken away meanwhile. */
static __always_inline void look(struct fw_rt_scx_state *w, uint32_t slot,
                                 struct fw_rt_scx_page *page)
{
    struct fw_rt_task_record *c = &w->state.task[slot % FW_RT_TASKS];
    uint32_t d = fw_rt_lock_index(c->request - 1);

    if (fw_rt_is_boosting(w->state.lock[d].kind)) {
        fw_queue_resolve(slot, d);
    } else if (side[slot % FW_RT_TASKS].away) {
        c->request = 0;
        answer(page, EXDEV);
    }
}

static __always_inline void lock(struct fw_rt_scx_state *w, uint32_t slot,
                                 struct fw_rt_scx_page *page, uint32_t d, bool may_wait)
{
    struct fw_rt_task_record *c = &w->state.task[slot % FW_RT_TASKS];

    if (c->request != 0)
        look(w, slot, page);
    else if (d >= FW_RT_LOCKS || !(c->opened & fw_rt_bit(d)))
        answer(page, EINVAL);
    else if (fw_rt_is_boosting(w->state.lock[d].kind)) /* of any CPU: also of a task that is away */
        lock_queue(w, slot, page, d, may_wait);
    else if (side[slot % FW_RT_TASKS].away)
        answer(page, EXDEV);
    else if (c->held & fw_rt_bit(d) & permit_locks)
        give(w, page, d); /* it got it while it was on its way here */
    else if (c->held & fw_rt_bit(d))
        answer(page, EDEADLK);
    else
        lock_ceiling(w, slot, page, d, may_wait);
}

/* Under a ceiling the decision that follows is all; a queue has been left by its owner. */
static __always_inline void unlock(struct fw_rt_scx_state *w, uint32_t slot,
                                   struct fw_rt_scx_page *page, uint32_t d)
{
    struct fw_rt_task_record *c = &w->state.task[slot % FW_RT_TASKS];

    if (d < FW_RT_LOCKS && (c->opened & fw_rt_bit(d)) && fw_rt_is_boosting(w->state.lock[d].kind) &&
        (page->locked & fw_rt_bit(d))) {
        fw_queue_pass_on(slot, d);
        __sync_fetch_and_and(&page->locked, ~fw_rt_bit(d));
        fw_note(slot);
    }
    answer(page, 0);
}

/* What the page asks for, except for JOIN and LEAVE. */
int fw_serve(uint32_t slot)
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

int fw_look_after(uint32_t slot)
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
    fw_note(slot);
    op = *(volatile uint32_t *)&page->op;
    if (op != FW_RT_SCX_NOTHING && op != FW_RT_SCX_JOIN && op != FW_RT_SCX_LEAVE)
        fw_serve(slot);
    return 0;
}

int fw_request(uint32_t slot)
{
    struct fw_rt_scx_state *w = get_state();
    struct fw_rt_scx_page *page;
    uint32_t op;

    if (slot >= FW_RT_TASKS || !w)
        return 0;
    page = page_of(slot);
    if (!page || (side[slot].elsewhere && !side[slot].away))
        return 0;
    fw_note(slot);
    op = *(volatile uint32_t *)&page->op;
    if (op == FW_RT_SCX_NOTHING || op == FW_RT_SCX_LEAVE)
        return op;
    w->counts.requests++;
    return fw_serve(slot);
}
