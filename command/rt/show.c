/* SPDX-License-Identifier: MIT */
#include "show.h"

#include <inttypes.h>
#include <stdio.h>

#include <furwock/rt.h>

#include "rt/decide.h"

static const char *task_name(const struct rt_view *v, uint32_t t)
{
    const char *name = v->state.task[t].name;

    return name[0] != '\0' ? name : "(no name)";
}

static const char *lock_name(const struct rt_view *v, uint32_t d)
{
    const char *name = v->state.lock[d].name;

    return name[0] != '\0' ? name : "(no name)";
}

static const char *protocol_name(const struct fw_rt_lock_record *l)
{
    const char *name = fw_rt_protocol_name((fw_rt_protocol)l->protocol);

    return name != NULL ? name : "(unknown)";
}

static const char *life_name(enum rt_life liveness)
{
    return liveness == RT_ALIVE ? "alive" : liveness == RT_GONE ? "dead" : "foreign";
}

static bool has(const struct rt_view *v, uint32_t t, uint32_t d)
{
    return v->task[t].is_there && (v->task[t].has & fw_rt_bit(d)) != 0;
}

/* --- Text ------------------------------------------------------------------------------------- */

static void print_time(const char *before, uint64_t ns)
{
    if (ns < 10000000)
        printf("%s%.1f us", before, (double)ns / 1e3);
    else
        printf("%s%.3f s", before, (double)ns / 1e9);
}

/* What it waits for, and who is in the way. */
static void print_wait(const struct rt_view *v, const struct rt_view_task *t)
{
    if (t->asks_for != FW_RT_NONE)
        printf("      waits for %s", lock_name(v, t->asks_for));
    else if (t->behind != FW_RT_NONE)
        printf("      held back");
    else
        return;
    if (t->in_the_way != FW_RT_NONE)
        printf(": %s%s is in a section of %s", task_name(v, t->in_the_way),
               v->task[t->in_the_way].liveness == RT_GONE ? ", which is dead," : "",
               lock_name(v, t->behind));
    if (t->ns != 0)
        print_time(", for ", t->ns);
    putchar('\n');
}

static void print_task(const struct rt_view *v, uint32_t i)
{
    const struct fw_rt_task_record *c = &v->state.task[i];
    const struct rt_view_task *t = &v->task[i];

    printf("  %-16s CPU %-3" PRIu32 " priority %-2" PRIu32 " thread %" PRIu32 "%s", task_name(v, i),
           c->cpu, c->base, c->tid,
           t->liveness == RT_GONE      ? " (dead)"
           : t->liveness == RT_FOREIGN ? " (of another pid namespace)"
                                       : "");
    if (t->inherits != 0)
        printf(", inherits %" PRIu32, t->inherits);
    if (c->period != 0)
        print_time(", period ", c->period);
    if (c->jobs != 0)
        printf(", %" PRIu64 " job%s, %" PRIu64 " late", c->jobs, c->jobs == 1 ? "" : "s",
               c->misses);
    if (c->worst != 0)
        print_time(", longest wait ", c->worst);
    putchar('\n');
    for (uint32_t d = 0; d < FW_RT_LOCKS; d++)
        if (t->has & fw_rt_bit(d))
            printf("      %s %s\n", t->liveness == RT_GONE ? "died in a section of" : "has",
                   lock_name(v, d));
    print_wait(v, t);
}

static void print_lock(const struct rt_view *v, uint32_t d)
{
    const struct fw_rt_lock_record *l = &v->state.lock[d];
    int users = __builtin_popcountll(l->users);
    bool is_free = true;

    printf("  %-16s %-11s ", lock_name(v, d), protocol_name(l));
    if (fw_rt_has_ceiling(l->kind))
        printf("CPU %-3" PRIu32 " ", l->cpu);
    if (l->ceiling != 0)
        printf("ceiling %" PRIu32 "%s, ", l->ceiling, l->asked != 0 ? " (asked for)" : "");
    printf("%d user%s, ", users, users == 1 ? "" : "s");
    for (uint32_t i = 0; i < FW_RT_TASKS; i++) {
        if (has(v, i, d)) {
            printf("%s%s", is_free ? "held by " : " and ", task_name(v, i));
            is_free = false;
        }
    }
    printf("%s\n", is_free ? "free" : "");
    for (uint32_t i = 0; i < FW_RT_TASKS; i++)
        if (v->task[i].is_there && v->task[i].asks_for == d)
            printf("      %s waits\n", task_name(v, i));
    if (l->died != 0)
        puts("      its last owner died in a section: the next one is told");
    if (l->refused != 0)
        printf("      times that a waiter had no right to raise the owner: %" PRIu32 "\n",
               l->refused);
}

void rt_show_text(const struct rt_view *v)
{
    uint32_t i;

    if (v->tasks != 0)
        puts("\nTasks");
    for (i = 0; i < FW_RT_TASKS; i++)
        if (v->task[i].is_there)
            print_task(v, i);
    if (v->locks != 0)
        puts("\nLocks");
    for (i = 0; i < FW_RT_LOCKS; i++)
        if (rt_view_has_lock(v, i))
            print_lock(v, i);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *name_or_null(const char *name)
{
    return name != NULL ? json_string(name) : json_null();
}

static json_t *task_or_null(const struct rt_view *v, uint32_t t)
{
    return name_or_null(t != FW_RT_NONE ? task_name(v, t) : NULL);
}

static json_t *lock_or_null(const struct rt_view *v, uint32_t d)
{
    return name_or_null(d != FW_RT_NONE ? lock_name(v, d) : NULL);
}

static json_t *task_json(const struct rt_view *v, uint32_t i)
{
    const struct fw_rt_task_record *c = &v->state.task[i];
    const struct rt_view_task *t = &v->task[i];
    json_t *locks = json_array();
    json_t *task;

    for (uint32_t d = 0; d < FW_RT_LOCKS; d++)
        if (t->has & fw_rt_bit(d))
            json_array_append_new(locks, json_string(lock_name(v, d)));
    task = json_pack("{s:i s:s s:I s:s s:I s:I s:I s:o s:o s:o s:o s:I s:I}", "slot", (int)i,
                     "name", task_name(v, i), "thread", (json_int_t)c->tid, "life",
                     life_name(t->liveness), "cpu", (json_int_t)c->cpu, "priority",
                     (json_int_t)c->base, "inherits", (json_int_t)t->inherits, "has", locks,
                     "waits_for", lock_or_null(v, t->asks_for), "behind",
                     lock_or_null(v, t->behind), "in_the_way", task_or_null(v, t->in_the_way),
                     "waits_ns", (json_int_t)t->ns, "longest_wait_ns", (json_int_t)c->worst);
    json_object_set_new(task, "period_ns", json_integer((json_int_t)c->period));
    json_object_set_new(task, "deadline_ns", json_integer((json_int_t)c->deadline));
    json_object_set_new(task, "budget_ns", json_integer((json_int_t)c->budget));
    json_object_set_new(task, "jobs", json_integer((json_int_t)c->jobs));
    json_object_set_new(task, "misses", json_integer((json_int_t)c->misses));
    return task;
}

static json_t *lock_json(const struct rt_view *v, uint32_t d)
{
    const struct fw_rt_lock_record *l = &v->state.lock[d];
    json_t *users = json_array(), *holders = json_array(), *waiting = json_array();

    for (uint32_t i = 0; i < FW_RT_TASKS; i++) {
        if (!v->task[i].is_there)
            continue;
        if (l->users & fw_rt_bit(i))
            json_array_append_new(users, json_string(task_name(v, i)));
        if (has(v, i, d))
            json_array_append_new(holders, json_string(task_name(v, i)));
        if (v->task[i].asks_for == d)
            json_array_append_new(waiting, json_string(task_name(v, i)));
    }
    return json_pack("{s:s s:s s:o s:I s:b s:o s:o s:o s:b s:I}", "name", lock_name(v, d),
                     "protocol", protocol_name(l), "cpu",
                     fw_rt_has_ceiling(l->kind) ? json_integer((json_int_t)l->cpu) : json_null(),
                     "ceiling", (json_int_t)l->ceiling, "asked", l->asked != 0, "users", users,
                     "held_by", holders, "waiting", waiting, "died", l->died != 0, "refused",
                     (json_int_t)l->refused);
}

void rt_show_json(const struct rt_view *v, json_t *whole)
{
    json_t *tasks = json_array(), *locks = json_array();

    for (uint32_t i = 0; i < FW_RT_TASKS; i++)
        if (v->task[i].is_there)
            json_array_append_new(tasks, task_json(v, i));
    for (uint32_t d = 0; d < FW_RT_LOCKS; d++)
        if (rt_view_has_lock(v, d))
            json_array_append_new(locks, lock_json(v, d));
    json_object_set_new(whole, "tasks", tasks);
    json_object_set_new(whole, "locks", locks);
}
