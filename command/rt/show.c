/* SPDX-License-Identifier: MIT */
#include "show.h"

#include <inttypes.h>
#include <stdio.h>

#include <furwock/rt.h>

#include "rt/inspect.h"

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

/* --- Tasks ------------------------------------------------------------------------------------ */

static void format_time(const void *value, char *text, size_t size)
{
    uint64_t ns = *(const uint64_t *)value;

    if (ns < 10000000)
        snprintf(text, size, "%.1f us", (double)ns / 1e3);
    else
        snprintf(text, size, "%.3f s", (double)ns / 1e9);
}

struct task_row {
    unsigned slot;
    const char *name;
    uint32_t thread;
    const char *liveness, *note; /* for JSON, for people */
    uint32_t cpu, priority, inherits;
    uint64_t period, deadline, budget, jobs, misses; /* times in ns */
    const char *waits_for, *behind, *in_the_way;     /* names, or NULL */
    uint64_t waits, longest_wait;
};

static const struct print_field task_fields[] = {
    {PRINT_FIELD("slot", NULL, PRINT_UNSIGNED, task_row, slot)},
    {PRINT_FIELD("name", NULL, PRINT_TEXT, task_row, name), .width = -16, .before = "  "},
    {PRINT_FIELD("cpu", NULL, PRINT_UNSIGNED, task_row, cpu), .width = -3, .before = " CPU "},
    {PRINT_FIELD("priority", NULL, PRINT_UNSIGNED, task_row, priority), .width = -2,
     .before = " priority "},
    {PRINT_FIELD("thread", NULL, PRINT_UNSIGNED, task_row, thread), .before = " thread "},
    {PRINT_FIELD("liveness", NULL, PRINT_TEXT, task_row, liveness)},
    {PRINT_FIELD(NULL, NULL, PRINT_TEXT, task_row, note), .before = ""},
    {PRINT_FIELD("inherits", NULL, PRINT_UNSIGNED, task_row, inherits), .before = ", inherits ",
     .is_optional = true},
    {PRINT_FIELD("period_ns", NULL, PRINT_U64, task_row, period), .before = ", period ",
     .is_optional = true, .format = format_time},
    {PRINT_FIELD("jobs", NULL, PRINT_U64, task_row, jobs)},
    {PRINT_FIELD("misses", NULL, PRINT_U64, task_row, misses)},
    {PRINT_FIELD("deadline_ns", NULL, PRINT_U64, task_row, deadline)},
    {PRINT_FIELD("budget_ns", NULL, PRINT_U64, task_row, budget)},
    {PRINT_FIELD("waits_for", NULL, PRINT_TEXT, task_row, waits_for)},
    {PRINT_FIELD("blocked_on", NULL, PRINT_TEXT, task_row, behind)},
    {PRINT_FIELD("blocked_by", NULL, PRINT_TEXT, task_row, in_the_way)},
    {PRINT_FIELD("waits_ns", NULL, PRINT_U64, task_row, waits)},
    {PRINT_FIELD("longest_wait_ns", NULL, PRINT_U64, task_row, longest_wait)},
};

/* What it waits for, and which task it waits for. */
static void print_wait(const struct printer *p, const struct rt_view *v,
                       const struct rt_view_task *t)
{
    char time[32];

    if (t->asks_for != FW_RT_NONE)
        print_words(p, "      waits for %s", lock_name(v, t->asks_for));
    else if (t->behind != FW_RT_NONE)
        print_words(p, "      held back");
    else
        return;
    if (t->in_the_way != FW_RT_NONE)
        print_words(p, ": %s%s is in a section of %s", task_name(v, t->in_the_way),
                    v->task[t->in_the_way].liveness == RT_GONE ? ", which is dead," : "",
                    lock_name(v, t->behind));
    if (t->ns != 0) {
        format_time(&t->ns, time, sizeof time);
        print_words(p, ", for %s", time);
    }
    print_words(p, "\n");
}

static void end_task(const struct printer *p, const void *record, const void *context)
{
    const struct task_row *row = record;
    const struct rt_view *v = context;
    const struct rt_view_task *t = &v->task[row->slot];
    json_t *locks = json_array();
    char time[32];

    if (row->jobs != 0)
        print_words(p, ", %" PRIu64 " job%s, %" PRIu64 " late", row->jobs, print_plural(row->jobs),
                    row->misses);
    format_time(&row->longest_wait, time, sizeof time);
    if (row->longest_wait != 0)
        print_words(p, ", longest wait %s", time);
    print_words(p, "\n");
    for (uint32_t d = 0; d < FW_RT_LOCKS; d++) {
        if ((t->has & fw_rt_bit(d)) == 0)
            continue;
        print_words(p, "      %s %s\n", t->liveness == RT_GONE ? "died in a section of" : "has",
                    lock_name(v, d));
        json_array_append_new(locks, json_string(lock_name(v, d)));
    }
    print_member(p, "holds", locks);
    print_wait(p, v, t);
}

static const struct print_record task_record = PRINT_RECORD(task_fields, end_task);

static struct task_row task_row(const struct rt_view *v, uint32_t i)
{
    const struct fw_rt_task_record *c = &v->state.task[i];
    const struct rt_view_task *t = &v->task[i];

    return (struct task_row){
        .slot = i,
        .name = task_name(v, i),
        .thread = c->tid,
        .liveness = life_name(t->liveness),
        .note = t->liveness == RT_GONE      ? " (dead)"
                : t->liveness == RT_FOREIGN ? " (of another pid namespace)"
                                            : "",
        .cpu = c->cpu,
        .priority = c->base,
        .inherits = t->inherits,
        .period = c->period,
        .deadline = c->deadline,
        .budget = c->budget,
        .jobs = c->jobs,
        .misses = c->misses,
        .waits_for = t->asks_for != FW_RT_NONE ? lock_name(v, t->asks_for) : NULL,
        .behind = t->behind != FW_RT_NONE ? lock_name(v, t->behind) : NULL,
        .in_the_way = t->in_the_way != FW_RT_NONE ? task_name(v, t->in_the_way) : NULL,
        .waits = t->ns,
        .longest_wait = c->worst};
}

/* --- Locks ------------------------------------------------------------------------------------ */

struct lock_row {
    const char *name, *protocol;
    uint32_t ceiling, refused;
    bool is_asked, died;
    uint32_t number;
};

static const struct print_field lock_fields[] = {
    {PRINT_FIELD("name", NULL, PRINT_TEXT, lock_row, name), .width = -16, .before = "  "},
    {PRINT_FIELD("protocol", NULL, PRINT_TEXT, lock_row, protocol), .width = -11, .before = " "},
    {PRINT_FIELD("ceiling", NULL, PRINT_UNSIGNED, lock_row, ceiling)},
    {PRINT_FIELD("ceiling_requested", NULL, PRINT_BOOL, lock_row, is_asked)},
    {PRINT_FIELD("owner_died", NULL, PRINT_BOOL, lock_row, died)},
    {PRINT_FIELD("refused", NULL, PRINT_UNSIGNED, lock_row, refused)},
};

static void print_users(const struct printer *p, const struct rt_view *v,
                        const struct fw_rt_lock_record *l)
{
    int users = __builtin_popcountll(l->users);
    json_t *names = json_array();

    for (uint32_t i = 0; i < FW_RT_TASKS; i++)
        if (v->task[i].is_there && (l->users & fw_rt_bit(i)) != 0)
            json_array_append_new(names, json_string(task_name(v, i)));
    print_words(p, "%d user%s, ", users, users == 1 ? "" : "s");
    print_member(p, "users", names);
}

static void print_holders(const struct printer *p, const struct rt_view *v, uint32_t d)
{
    json_t *holders = json_array();

    for (uint32_t i = 0; i < FW_RT_TASKS; i++) {
        if (!has(v, i, d))
            continue;
        print_words(p, "%s%s", json_array_size(holders) == 0 ? "held by " : " and ",
                    task_name(v, i));
        json_array_append_new(holders, json_string(task_name(v, i)));
    }
    print_words(p, "%s\n", json_array_size(holders) == 0 ? "free" : "");
    print_member(p, "held_by", holders);
}

static void print_waiting(const struct printer *p, const struct rt_view *v, uint32_t d)
{
    json_t *waiting = json_array();

    for (uint32_t i = 0; i < FW_RT_TASKS; i++) {
        if (!v->task[i].is_there || v->task[i].asks_for != d)
            continue;
        print_words(p, "      %s waits\n", task_name(v, i));
        json_array_append_new(waiting, json_string(task_name(v, i)));
    }
    print_member(p, "waiting", waiting);
}

static void end_lock(const struct printer *p, const void *record, const void *context)
{
    const struct lock_row *row = record;
    const struct rt_view *v = context;
    const struct fw_rt_lock_record *l = &v->state.lock[row->number];
    bool has_cpu = fw_rt_has_ceiling(l->kind);

    print_words(p, " ");
    print_member(p, "cpu", has_cpu ? json_integer(l->cpu) : json_null());
    if (has_cpu)
        print_words(p, "CPU %-3" PRIu32 " ", l->cpu);
    if (row->ceiling != 0)
        print_words(p, "ceiling %" PRIu32 "%s, ", row->ceiling,
                    row->is_asked ? " (asked for)" : "");
    print_users(p, v, l);
    print_holders(p, v, row->number);
    print_waiting(p, v, row->number);
    if (row->died)
        print_words(p, "      its last owner died in a section: the next one is told\n");
    if (row->refused != 0)
        print_words(p, "      times that a waiter had no right to raise the owner: %" PRIu32 "\n",
                    row->refused);
}

static const struct print_record lock_record = PRINT_RECORD(lock_fields, end_lock);

static struct lock_row lock_row(const struct rt_view *v, uint32_t d)
{
    const struct fw_rt_lock_record *l = &v->state.lock[d];

    return (struct lock_row){.name = lock_name(v, d),
                             .protocol = protocol_name(l),
                             .ceiling = l->ceiling,
                             .refused = l->refused,
                             .is_asked = l->asked != 0,
                             .died = l->died != 0,
                             .number = d};
}

/* --- Both ------------------------------------------------------------------------------------- */

void rt_show(const struct printer *p, const struct rt_view *v)
{
    struct task_row tasks[FW_RT_TASKS];
    struct lock_row locks[FW_RT_LOCKS];
    size_t n = 0;

    for (uint32_t i = 0; i < FW_RT_TASKS; i++)
        if (v->task[i].is_there)
            tasks[n++] = task_row(v, i);
    if (n != 0)
        print_words(p, "\nTasks\n");
    print_list(p, "tasks", &task_record, tasks, n, sizeof *tasks, v);
    n = 0;
    for (uint32_t d = 0; d < FW_RT_LOCKS; d++)
        if (rt_view_has_lock(v, d))
            locks[n++] = lock_row(v, d);
    if (n != 0)
        print_words(p, "\nLocks\n");
    print_list(p, "locks", &lock_record, locks, n, sizeof *locks, v);
}
