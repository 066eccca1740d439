/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Queues (page.h), as far as the scheduler has to do with them.  All of it with `sched_lock` held.
 *
 * state       meaning                                      left by
 * ----------  -------------------------------------------  ------------------------------------
 * quiet       no waiters, no token: it need not know       LOCK: waited for; UNLOCK: token
 * waited for  `waiters` has who asked by LOCK              UNLOCK, or resolve: next one has it
 * token       the last owner has left it, and those who    LOCK, TRY: quiet
 *             are in the queue have not asked yet
 *
 * QUEUE1  At most one of: a living task that has bit d in its page and does not wait; a token.
 * QUEUE2  Waiters without either are resolved: their owner has died.
 */
#include "bpf/sched/queues.h"

#include "bpf/sched/answer.h"

/* The next waiter has the lock; nobody waits: a task that comes next. */
static __always_inline void hand_over(struct fw_rt_scx_state *w, struct fw_rt_scx_shared *shared,
                                      uint32_t d)
{
    struct fw_rt_lock_record *l = &w->state.lock[fw_rt_lock_index(d)];
    uint32_t next = fw_rt_next_waiter(&w->state, d), slot = next % FW_RT_TASKS;
    struct fw_rt_scx_page *page;

    if (next == FW_RT_NONE) {
        shared->token[fw_rt_lock_index(d)] = 1;
        return;
    }
    page = page_of(slot);
    if (!page)
        return;
    l->waiters &= ~fw_rt_bit(slot);
    l->owner = slot + 1;
    w->state.task[slot].request = 0;
    __sync_lock_test_and_set(&side[slot].is_queued,
                             0); /* last: fw_refresh's CPU looks at it first */
    w->counts.handed++;
    give(w, page, d);
    ask(w->state.task[slot].cpu);
}

/* Is there a living task that has the lock, or is about to leave it, or to ask for it? */
static __always_inline bool has_taker(struct fw_rt_scx_state *w, uint32_t d, uint64_t waiters)
{
    uint64_t users = w->state.lock[fw_rt_lock_index(d)].users & ~waiters;
    bool has = false;
    int i;

    FW_RT_EACH(i, FW_RT_TASKS)
    {
        if (!(users & fw_rt_bit(i)) || w->state.task[i].state != FW_RT_LIVE)
            continue;
        volatile struct fw_rt_scx_page *page = page_of(i);
        if (page && (page->locked & fw_rt_bit(d)))
            has = true;
    }
    return has;
}

static __always_inline uint64_t dead_in(const struct fw_rt_scx_state *w, uint32_t d)
{
    uint64_t dead = 0;
    int i;

    FW_RT_EACH(i, FW_RT_TASKS)
    {
        const struct fw_rt_task_record *c = &w->state.task[i];
        if (c->state == FW_RT_DEAD && (c->held & fw_rt_bit(d)))
            dead |= fw_rt_bit(i);
    }
    return dead;
}

/* They have been taken out of the queue. */
static __always_inline void forget(struct fw_rt_scx_state *w, uint32_t d, uint64_t dead)
{
    int i;

    FW_RT_EACH(i, FW_RT_TASKS)
    {
        struct fw_rt_task_record *c = &w->state.task[i];
        if (!(dead & fw_rt_bit(i)))
            continue;
        c->held &= ~fw_rt_bit(d);
        if (c->held == 0)
            c->state = FW_RT_FREE;
    }
}

/*
 * Takes the dead out of the queue.  Is anybody left?  All those have found somebody before them,
 * and are going to ask; the next one after them finds nobody only if nobody is left.
 */
static __always_inline bool clean(struct fw_rt_scx_state *w, struct fw_rt_scx_shared *shared,
                                  uint32_t d)
{
    uint64_t gone = dead_in(w, d);

    forget(w, d, gone);
    return !gone || (__sync_fetch_and_and(&shared->queue[fw_rt_lock_index(d)], ~gone) & ~gone);
}

/*
 * Of a task that is not in the queue: takes over from dead ones, if no other waits.  In
 * one step: the queue must not look free, for a task that takes it then is told of no death.
 */
static __always_inline bool take_over(struct fw_rt_scx_state *w, struct fw_rt_scx_shared *shared,
                                      uint32_t slot, uint32_t d)
{
    struct fw_rt_lock_record *l = &w->state.lock[fw_rt_lock_index(d)];
    uint64_t dead = dead_in(w, d);

    if (!dead || l->waiters != 0 || has_taker(w, d, 0) ||
        __sync_val_compare_and_swap(&shared->queue[fw_rt_lock_index(d)], dead, fw_rt_bit(slot)) !=
            dead)
        return false;
    forget(w, d, dead);
    mark_died(w, d);
    l->owner = slot % FW_RT_TASKS + 1;
    return true;
}

/*
 * QUEUE2.  A task that finds a taker may be wrong a moment later: one that tries has the bit while
 * it looks, and one that leaves has it a little longer than the lock.  So it is looked at again by
 * each who tries without success, and by each task that waits whenever it is let through.
 */
static __always_inline void resolve(struct fw_rt_scx_state *w, struct fw_rt_scx_shared *shared,
                                    uint32_t d)
{
    struct fw_rt_lock_record *l = &w->state.lock[fw_rt_lock_index(d)];

    if (l->waiters == 0 || shared->token[fw_rt_lock_index(d)] || has_taker(w, d, l->waiters))
        return;
    mark_died(w, d);
    clean(w, shared, d);
    hand_over(w, shared, d);
}

int fw_queue_clean(uint32_t slot, uint32_t d)
{
    struct fw_rt_scx_state *w = get_state();
    struct fw_rt_scx_shared *shared = shared_of(slot);

    if (!w || !shared)
        return 0;
    return clean(w, shared, d);
}

int fw_queue_pass_on(uint32_t slot, uint32_t d)
{
    struct fw_rt_scx_state *w = get_state();
    struct fw_rt_scx_shared *shared = shared_of(slot);

    if (!w || !shared)
        return 0;
    if (clean(w, shared, d))
        hand_over(w, shared, d);
    return 0;
}

int fw_queue_take_over(uint32_t slot, uint32_t d)
{
    struct fw_rt_scx_state *w = get_state();
    struct fw_rt_scx_shared *shared = shared_of(slot);

    if (!w || !shared)
        return 0;
    return take_over(w, shared, slot, d);
}

int fw_queue_resolve(uint32_t slot, uint32_t d)
{
    struct fw_rt_scx_state *w = get_state();
    struct fw_rt_scx_shared *shared = shared_of(slot);

    if (!w || !shared)
        return 0;
    resolve(w, shared, d);
    return 0;
}
