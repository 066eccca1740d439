/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Opening locks: the names of a user's locks, and which users may use them how. */
#include "bpf/sched/open.h"

#include "bpf/sched/answer.h"
#include "bpf/sched/request.h"

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
        answer(page, config.has_permits ? EAGAIN : ENOTSUP);
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

int fw_open(uint32_t slot)
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
