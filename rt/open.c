/* SPDX-License-Identifier: MIT */
/*
 * Opening locks: names, users, and the ceilings that follow from them.  All of it under the state's
 * internal lock; readers of ceilings see one as it was before or after.
 */
#include "rt/internal.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

/* What is asked for. */
struct wish {
    const char *name;
    fw_rt_protocol protocol;
    uint32_t kind;
    uint32_t ceiling;
};

static int check_wish(const struct fw_rt_task *t, const struct wish *wish, int ceiling)
{
    size_t length = wish->name != NULL ? strnlen(wish->name, FW_RT_NAME) : 0;

    if (wish->kind == FW_RT_KIND_NONE)
        return fw_rt_fail_(EINVAL, "there is no protocol %d", (int)wish->protocol);
    if (length == 0 || length > FW_RT_NAME_MAX)
        return fw_rt_fail_(EINVAL, "a lock's name has 1 to %d bytes", FW_RT_NAME_MAX);
    if (ceiling < 0 || ceiling > FW_RT_PRIORITY_MAX)
        return fw_rt_fail_(EINVAL, "the ceiling of \"%.31s\" is %d, and not 0 to %d", wish->name,
                           ceiling, FW_RT_PRIORITY_MAX);
    if (ceiling != 0 && wish->ceiling < t->record->base)
        return fw_rt_fail_(EINVAL,
                           "the ceiling of \"%.31s\", %d, lies below the priority of \"%.31s\", %u",
                           wish->name, ceiling, t->record->name, t->record->base);
    if (t->state->tier == FW_RT_TIER_A && wish->protocol == FW_RT_PCP_DU_PF)
        return fw_rt_fail_(ENOTSUP, "PCP-DU-PF needs a scheduler that closes pages (tier B)");
    return 0;
}

/* Tier A raises a task that is in such a section, or waits for it, above all base priorities. */
static int check_boost(struct fw_rt_task *t, const struct wish *wish)
{
    struct sched_param high = {.sched_priority = FW_RT_BOOST_MOST}, own;
    uint32_t boost;
    bool may;

    if (!fw_rt_is_boosting(wish->kind) || t->state->tier != FW_RT_TIER_A)
        return 0;
    /* It may be in such a section already, and be raised by others meanwhile (raise.c). */
    fw_rt_pi_lock_(t->state, &t->record->record_lock, t->tid, t->shared);
    boost = fw_load32_relaxed(&t->record->boost);
    own.sched_priority = (int)(boost != 0 ? boost : t->record->base);
    may = sched_setparam(0, &high) == 0 && sched_setparam(0, &own) == 0;
    fw_rt_pi_unlock_(&t->record->record_lock, t->tid, t->shared);
    if (!may)
        return fw_rt_fail_(EPERM,
                           "no right to SCHED_FIFO at priority %d, for sections of \"%.31s\"",
                           FW_RT_BOOST_MOST, wish->name);
    return 0;
}

static uint32_t find(const struct fw_rt_state *w, const char *name)
{
    uint32_t d;

    for (d = 0; d < FW_RT_LOCKS && d < w->locks; d++)
        if (strncmp(w->lock[d].name, name, FW_RT_NAME) == 0)
            return d;
    return FW_RT_NONE;
}

static int check_found(const struct fw_rt_task *t, const struct fw_rt_lock_record *l,
                       const struct wish *wish)
{
    const char *protocol = fw_rt_protocol_name((fw_rt_protocol)l->protocol);

    if (l->protocol != (uint32_t)wish->protocol)
        return fw_rt_fail_(EEXIST, "\"%.31s\" is there, under %.31s", wish->name,
                           protocol != NULL ? protocol : "no protocol");
    if (l->asked != 0 && l->asked < t->record->base)
        return fw_rt_fail_(EINVAL,
                           "the ceiling of \"%.31s\", %u, lies below the priority of \"%.31s\", %u",
                           wish->name, l->asked, t->record->name, t->record->base);
    if (l->asked != wish->ceiling)
        return fw_rt_fail_(EEXIST, "\"%.31s\" is there, with a ceiling of %u%.31s", wish->name,
                           l->ceiling, l->asked == 0 ? " that was computed" : "");
    if (fw_rt_has_ceiling(l->kind) && l->users != 0 && l->cpu != t->record->cpu)
        return fw_rt_fail_(
            EXDEV, "\"%.31s\" is for the tasks of CPU %u (%.31s), and \"%.31s\" is on CPU %u",
            wish->name, l->cpu, protocol, t->record->name, t->record->cpu);
    return 0;
}

/* A new lock's record; FW_RT_NONE: all are in use. */
static uint32_t make(struct fw_rt_state *w, const struct wish *wish)
{
    uint32_t d = w->locks;
    struct fw_rt_lock_record *l;

    if (d >= FW_RT_LOCKS)
        return FW_RT_NONE;
    l = &w->lock[d];
    memset(l, 0, sizeof *l); /* a task that died over making it may have left something */
    strncpy(l->name, wish->name, FW_RT_NAME - 1);
    l->protocol = (uint32_t)wish->protocol;
    l->kind = wish->kind;
    l->asked = l->ceiling = wish->ceiling;
    fw_store32_release(&w->locks, d + 1);
    return d;
}

static int open_guarded(struct fw_rt_task *t, const struct wish *wish, uint32_t *found)
{
    struct fw_rt_state *w = t->state;
    uint32_t d = find(w, wish->name);
    int error = d != FW_RT_NONE ? check_found(t, &w->lock[d], wish) : 0;

    if (error != 0)
        return error;
    if (d == FW_RT_NONE)
        d = make(w, wish);
    if (d == FW_RT_NONE)
        return fw_rt_fail_(ENOSPC, "the group has %d locks already", FW_RT_LOCKS_MAX);
    w->lock[d].cpu = t->record->cpu;
    fw_or64_seq_cst(&w->lock[d].users, fw_rt_bit(t->slot));
    fw_rt_add_user(&w->lock[d], t->record->base, t->record->cpu);
    *found = d;
    return 0;
}

int fw_rt_open(fw_rt_task *task, const char *name, fw_rt_protocol protocol, int ceiling,
               unsigned *lock)
{
    struct wish wish = {name, protocol, fw_rt_kind_of_(protocol), (uint32_t)ceiling};
    struct fw_robust_ r;
    uint32_t d = 0;
    int error = check_wish(task, &wish, ceiling);

    if (error == 0)
        error = check_boost(task, &wish);
    if (error != 0)
        return error;
    fw_rt_state_lock_(task->state, task->tid, task->shared, &r);
    error = open_guarded(task, &wish, &d);
    fw_rt_state_unlock_(task->state, task->tid, task->shared, &r);
    if (error == 0 && task->page != NULL)
        error = fw_rt_scx_opened_(task, d);
    if (error != 0)
        return error;
    fw_or64_seq_cst(&task->record->opened, fw_rt_bit(d));
    if (task->trace != NULL)
        fw_rt_trace_name_(task->trace, d, name, fw_rt_protocol_name(protocol));
    else if (task->page == NULL && fw_rt_has_ceiling(wish.kind) && !fw_rt_asks_kernel_(protocol))
        task->quick |= fw_rt_bit(d);
    else if (task->page == NULL && fw_rt_is_boosting(wish.kind))
        task->boosts |= fw_rt_bit(d);
    else if (task->page == NULL && wish.kind == FW_RT_KIND_PIP)
        task->inherits |= fw_rt_bit(d);
    *lock = d;
    fw_rt_good_();
    return 0;
}

/* The ceilings, as they follow from those users that are tasks still. */
static void compute_ceilings(struct fw_rt_state *w, struct fw_rt_lock_record *l)
{
    struct fw_rt_lock_record fresh = {.ceiling = l->asked};
    uint32_t i;

    for (i = 0; i < FW_RT_TASKS; i++)
        if (l->users & fw_rt_bit(i))
            fw_rt_add_user(&fresh, w->task[i].base, w->task[i].cpu);
    fw_store32_relaxed(&l->ceiling, fresh.ceiling);
    fw_store32_relaxed(&l->top, fresh.top);
    fw_store32_relaxed(&l->top_cpu, fresh.top_cpu);
    fw_store32_relaxed(&l->second, fresh.second);
}

void fw_rt_forget_user_(struct fw_rt_state *w, uint32_t slot)
{
    uint32_t d;

    for (d = 0; d < FW_RT_LOCKS && d < w->locks; d++) {
        struct fw_rt_lock_record *l = &w->lock[d];
        if (!(fw_and64_seq_cst(&l->users, ~fw_rt_bit(slot)) & fw_rt_bit(slot)))
            continue;
        compute_ceilings(w, l);
    }
}
