/* SPDX-License-Identifier: Dual MIT/GPL */
#ifndef FW_BPF_SCHED_REQUESTS_H
#define FW_BPF_SCHED_REQUESTS_H

/*
 * What tasks ask for by sched_yield (page.h).  All of it is called with `sched_lock` held, and the
 * calling task on its CPU, in the kernel; nobody on that CPU changes anything meanwhile.
 */
#include "bpf/sched/queues.h"

/* What a page asks for, read once: its user may write at any time. */
struct request {
    uint32_t op, desc, cpu, base, kind, protocol, ceiling;
    uint64_t group;
};

static __always_inline struct request read_request(const volatile struct fw_rt_scx_page *page)
{
    return (struct request){.op = page->op,
                            .desc = page->desc,
                            .cpu = page->cpu,
                            .base = page->base,
                            .kind = page->kind,
                            .protocol = page->protocol,
                            .ceiling = page->ceiling,
                            .group = page->group};
}

/* ---- Locks ---- */

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
        resolve(w, shared, d);
        if (take_over(w, shared, slot, d))
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
    resolve(w, shared, d);
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
    struct fw_rt_scx_shared *shared = shared_of(slot);

    if (fw_rt_is_boosting(w->state.lock[d].kind)) {
        if (shared)
            resolve(w, shared, d);
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
    struct fw_rt_scx_shared *shared = shared_of(slot);

    if (shared && d < FW_RT_LOCKS && (c->opened & fw_rt_bit(d)) &&
        fw_rt_is_boosting(w->state.lock[d].kind) && (page->locked & fw_rt_bit(d))) {
        if (clean(w, shared, d))
            hand_over(w, shared, d);
        __sync_fetch_and_and(&page->locked, ~fw_rt_bit(d));
        note(w, slot, page);
    }
    answer(page, 0);
}

/* ---- Opening ---- */

static __always_inline bool is_named(const char *a, const char *b)
{
    bool same = true;
    int i;

    FW_RT_EACH(i, FW_RT_NAME)
    {
        if (a[i] != b[i])
            same = false;
    }
    return same;
}

/* A lock of that name; if there is none, a free record; FW_RT_NONE: neither is to be had. */
static __always_inline uint32_t find_lock(struct fw_rt_scx_state *w, uint32_t uid, uint32_t most,
                                          const struct fw_rt_scx_page *page, uint64_t group)
{
    uint32_t found = FW_RT_NONE, free = FW_RT_NONE, its = 0;
    int d;

    FW_RT_EACH(d, FW_RT_LOCKS)
    {
        const struct fw_rt_lock_record *l = &w->state.lock[d];
        if (l->protocol == 0) {
            if (free == FW_RT_NONE)
                free = d;
            continue;
        }
        if (w->lock_uid[d] != uid)
            continue;
        its++;
        if (l->more[0] == group && is_named(l->name, page->name))
            found = d;
    }
    if (found != FW_RT_NONE)
        return found;
    return its < most ? free : FW_RT_NONE;
}

static __always_inline uint32_t check_open(const struct fw_rt_scx_state *w,
                                           const struct fw_rt_lock_record *l,
                                           const struct fw_rt_task_record *c, uint32_t highest,
                                           const struct request *request)
{
    if (request->kind == FW_RT_KIND_PIP)
        return ENOTSUP;
    if (request->kind == FW_RT_KIND_NONE || request->kind > FW_RT_KIND_FMLP ||
        request->protocol == 0 || (request->ceiling != 0 && request->ceiling < c->base))
        return EINVAL;
    if (request->ceiling > highest)
        return EPERM;
    if (l->protocol == 0)
        return 0;
    if (l->protocol != request->protocol || l->kind != request->kind ||
        (request->ceiling != 0 && request->ceiling != l->asked && l->asked != 0))
        return EEXIST;
    if (request->ceiling != 0 && request->ceiling < l->top)
        return EINVAL;
    if (l->asked != 0 && c->base > l->asked)
        return EINVAL;
    return fw_rt_has_ceiling(l->kind) && l->cpu != c->cpu ? EXDEV : 0;
}

static __always_inline bool uses_permit(const struct request *request)
{
    return request->kind == FW_RT_KIND_PCP && request->protocol == FW_RT_SCX_PERMIT_PROTOCOL;
}

static __always_inline void open(struct fw_rt_scx_state *w, uint32_t slot,
                                 struct fw_rt_scx_page *page, const struct request *request)
{
    struct fw_rt_task_record *c = &w->state.task[slot % FW_RT_TASKS];
    const struct fw_rt_scx_grant *grant =
        &w->grant[side[slot % FW_RT_TASKS].grant % FW_RT_SCX_GRANTS];
    uint32_t uid = w->uid[slot % FW_RT_TASKS], error;
    uint32_t d = find_lock(w, uid, grant->locks, page, request->group);
    struct fw_rt_scx_shared *shared = shared_of(slot);
    struct fw_rt_lock_record *l;

    if (d >= FW_RT_LOCKS || !shared) {
        answer(page, ENOSPC);
        return;
    }
    FW_RT_HIDE(d);
    d = fw_rt_lock_index(d);
    l = &w->state.lock[d];
    if (uses_permit(request) && !side[slot % FW_RT_TASKS].is_ready) {
        answer(page, FW_RT_SCX_PERMITS ? EAGAIN : ENOTSUP);
        return;
    }
    error = check_open(w, l, c, grant->highest, request);
    if (error != 0) {
        answer(page, error);
        return;
    }
    if (l->protocol == 0) {
        __builtin_memset(l, 0, sizeof *l);
        __builtin_memcpy(l->name, page->name, sizeof l->name);
        l->name[FW_RT_NAME - 1] = 0;
        l->more[0] = request->group;
        l->kind = request->kind;
        l->protocol = request->protocol;
        l->cpu = c->cpu;
        shared->queue[d] = 0;
        shared->token[d] = 0;
        w->lock_uid[d] = uid;
        __sync_fetch_and_and(&died_locks, ~fw_rt_bit(d));
        if (uses_permit(request))
            __sync_fetch_and_or(&permit_locks, fw_rt_bit(d));
        else
            __sync_fetch_and_and(&permit_locks, ~fw_rt_bit(d));
        if (d >= w->state.locks)
            w->state.locks = d + 1;
    }
    if (request->ceiling > l->ceiling)
        l->ceiling = request->ceiling;
    if (request->ceiling != 0)
        l->asked = request->ceiling;
    l->users |= fw_rt_bit(slot);
    fw_rt_add_user(l, c->base, c->cpu);
    c->opened |= fw_rt_bit(d);
    page->desc = d;
    answer(page, 0);
}

#endif
