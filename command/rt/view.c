/* SPDX-License-Identifier: MIT */
#include "view.h"

#include <errno.h>
#include <furwock/ipc/region.h>
#include <furwock/rt.h>
#include <furwock/version.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "command/print/visible.h"
#include "command/show/show.h"
#include "ipc/inspect.h"
#include "rt/inspect.h"

#define OBJECT "furwock-rt"

_Static_assert(sizeof(struct fw_rt_state) % sizeof(uint64_t) == 0, "copied word by word");

void rt_view_copy(void *to, const void *from, size_t size)
{
    uint64_t *words = to;
    const uint64_t *shared = from;

    for (size_t i = 0; i < size / sizeof *words; i++)
        words[i] = fw_load64_relaxed(&shared[i]);
}

const char *rt_view_region(struct rt_view *v, const struct region *r)
{
    static char other_format[100];
    struct fw_ipc_entry_ entry;
    int error = fw_ipc_directory_find_(region_base(r), &r->plan, OBJECT, &entry);

    if (error != 0)
        return error == ENOENT ? "a region without a group of real-time tasks"
                               : "the region's directory is corrupt";
    if (entry.state != FW_REGION_DATA || entry.size < FW_RT_HEAD_SIZE)
        return "its object \"" OBJECT "\" is no group";
    rt_view_copy(&v->state, (const char *)region_base(r) + entry.at, FW_RT_HEAD_SIZE);
    if (v->state.magic == 0)
        return "the group is half made";
    if (v->state.magic != FW_RT_MAGIC)
        return "its group is corrupt";
    if (v->state.format != FW_RT_FORMAT) {
        snprintf(other_format, sizeof other_format,
                 "its group is of format %" PRIu32 ": furwock %s has format %u", v->state.format,
                 FURWOCK_VERSION_STRING, FW_RT_FORMAT);
        return other_format;
    }
    if (entry.size != sizeof v->state)
        return "its group is corrupt: not of its size";
    rt_view_copy(&v->state, (const char *)region_base(r) + entry.at, sizeof v->state);
    if (v->state.tier != FW_RT_TIER_A && v->state.tier != FW_RT_TIER_B)
        return "its group is corrupt: no such tier";
    rt_view_conclude(v, r);
    return NULL;
}

/* --- Conclusions ------------------------------------------------------------------------------ */

/* A thread of another pid namespace cannot be looked for here: is it one of those? */
static bool is_foreign(const struct region *r, uint32_t tid)
{
    for (uint32_t slot = 0; slot < r->mapping.participant_count; slot++) {
        uint64_t tenant = region_tenant(r, slot);
        struct region_thread t;
        if (tenant == 0)
            continue;
        t = region_thread(r, tenant);
        if (t.is_foreign && t.thread == tid)
            return true;
    }
    return false;
}

static void conclude_task(struct rt_view_task *t, const struct fw_rt_task_record *c,
                          const struct region *r, bool is_known)
{
    uint32_t asks_for = c->request - 1, behind = c->behind - 1;

    t->is_there = c->state == FW_RT_LIVE || c->state == FW_RT_DEAD;
    if (!t->is_there)
        return;
    if (c->state == FW_RT_DEAD)
        t->liveness = RT_GONE;
    else if (is_known)
        t->liveness = RT_ALIVE;
    else if (r != NULL && is_foreign(r, c->tid))
        t->liveness = RT_FOREIGN;
    else
        t->liveness = fw_rt_is_alive_(c) ? RT_ALIVE : RT_GONE;
    if (t->liveness != RT_GONE) {
        t->ns = c->since != 0 ? show_age(c->since) : 0;
        t->asks_for = asks_for < FW_RT_LOCKS ? asks_for : FW_RT_NONE;
        t->behind = behind < FW_RT_LOCKS ? behind : t->asks_for;
    }
    t->has = fw_rt_locks_of(c);
    if (t->asks_for != FW_RT_NONE) /* the bit is there in advance */
        t->has &= ~fw_rt_bit(t->asks_for);
}

/* Under a ceiling another lock than the one that it asks for may be in the way. */
static void look_for_ceiling(struct rt_view *v, uint32_t i)
{
    struct rt_view_task *t = &v->task[i];
    struct fw_rt_obstacle o;

    if (t->asks_for == FW_RT_NONE || t->behind != t->asks_for ||
        !fw_rt_has_ceiling(v->state.lock[t->asks_for].kind))
        return;
    o = fw_rt_obstacle(&v->state, i, t->asks_for);
    if (o.lock != FW_RT_NONE)
        t->behind = o.lock;
}

/* Those in the way inherit, and those in the way of these. */
static void inherit(struct rt_view *v, uint32_t from)
{
    uint32_t at = v->task[from].in_the_way;

    for (unsigned hop = 0; at != FW_RT_NONE && hop < FW_RT_TASKS; hop++) {
        uint32_t base = v->state.task[from].base;
        if (at != from && base > v->state.task[at].base && base > v->task[at].inherits)
            v->task[at].inherits = base;
        at = v->task[at].in_the_way;
    }
}

void rt_view_conclude(struct rt_view *v, const struct region *r)
{
    uint32_t i, j;

    for (i = 0; i < FW_RT_LOCKS; i++) {
        v->state.lock[i].name[FW_RT_NAME - 1] = '\0';
        visible(v->state.lock[i].name);
        v->locks += rt_view_has_lock(v, i);
    }
    for (i = 0; i < FW_RT_TASKS; i++) {
        struct fw_rt_task_record *c = &v->state.task[i];
        c->name[FW_RT_NAME - 1] = '\0';
        visible(c->name);
        v->task[i] = (struct rt_view_task){
            .asks_for = FW_RT_NONE, .behind = FW_RT_NONE, .in_the_way = FW_RT_NONE};
        conclude_task(&v->task[i], c, r, v->state.alive != 0);
        v->tasks += v->task[i].is_there;
    }
    for (i = 0; i < FW_RT_TASKS; i++)
        look_for_ceiling(v, i);
    for (i = 0; i < FW_RT_TASKS; i++)
        for (j = 0; j < FW_RT_TASKS && v->task[i].behind != FW_RT_NONE; j++)
            if (j != i && v->task[j].is_there && (v->task[j].has & fw_rt_bit(v->task[i].behind)))
                v->task[i].in_the_way = j;
    for (i = 0; i < FW_RT_TASKS; i++)
        inherit(v, i);
}
