/* SPDX-License-Identifier: MIT */
#include "scheduler.h"

#include <errno.h>
#include <furwock/rt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <furwock/bits/atomic.h>

#include "bpf/sched/loader.h"
#include "command/command.h"
#include "command/print/visible.h"
#include "show.h"

void rt_scheduler_unmap(const struct fw_rt_scx_state *w)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    munmap((void *)(uintptr_t)w, (sizeof *w + page - 1) / page * page);
}

const char *rt_scheduler_cause(uint32_t cause)
{
    static const char *const words[] = {
        [FW_RT_SCX_TURN] = "a blocked task was let through",
        [FW_RT_SCX_STARVED] = "a starved thread had a slice",
        [FW_RT_SCX_BRIEF] = "a starved thread was let in for a moment",
        [FW_RT_SCX_NOT_QUEUED] = "the task was not in its queue",
        [FW_RT_SCX_LATE] = "the decision came late",
    };

    return cause < sizeof words / sizeof *words && words[cause] != NULL ? words[cause] : "unknown";
}

/* Tasks and locks of all groups, or (group != 0) of one. */
static void look(struct rt_view *v, const struct fw_rt_scx_state *w, uint64_t group)
{
    memset(v, 0, sizeof *v);
    rt_view_copy(&v->state, &w->state, sizeof v->state);
    v->state.tier = FW_RT_TIER_B;
    for (uint32_t i = 0; group != 0 && i < FW_RT_TASKS; i++)
        if (v->state.task[i].more[0] != group)
            v->state.task[i].state = FW_RT_FREE;
    for (uint32_t i = 0; group != 0 && i < FW_RT_LOCKS; i++)
        if (v->state.lock[i].more[0] != group)
            v->state.lock[i].protocol = 0;
    rt_view_conclude(v, NULL);
}

void rt_scheduler_view(struct rt_view *v, uint64_t group)
{
    const struct fw_rt_scx_state *w = fw_rt_scx_state_map();

    if (w == NULL)
        return;
    if (w->generation == v->state.generation)
        look(v, w, group);
    rt_scheduler_unmap(w);
}

/* Why the kernel has ended it, in its own words. */
static void read_reason(const struct fw_rt_scx_state *w, char *text, size_t size)
{
    snprintf(text, size, "%.*s%s%.*s", (int)sizeof w->reason - 1, w->reason,
             w->details[0] != '\0' ? ": " : "", (int)sizeof w->details - 1, w->details);
    visible(text);
}

/* How much it has done, which is a line for each, or members of "counts". */
static void print_counts(const struct printer *whole, const struct fw_rt_scx_state *w)
{
    const struct fw_rt_scx_counts *n = &w->counts;
    struct printer p = print_object(whole, "counts");
    const struct {
        const char *key;
        uint64_t value;
    } members[] = {
        {"decisions", n->dispatches}, {"donations", n->donations}, {"requests", n->requests},
        {"grants", n->grants},        {"handed_off", n->handed},   {"died", n->died},
        {"turns", n->turns},          {"starved", n->relief},      {"late", n->late},
        {"not_queued", n->not_queued}};

    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        print_member(&p, members[i].key, json_integer((json_int_t)members[i].value));
    print_words(&p, "  decisions    %" PRIu64 ", %" PRIu64 " of them by donation\n", n->dispatches,
                n->donations);
    print_words(
        &p, "  requests     %" PRIu64 ", %" PRIu64 " locks given, %" PRIu64 " of them handed off\n",
        n->requests, n->grants, n->handed);
    print_words(&p, "  deaths       %" PRIu64 " in a section\n", n->died);
    print_words(&p,
                "  departures   %" PRIu64 " turns of blocked tasks, %" PRIu64
                " of starved threads, %" PRIu64 " late decisions, %" PRIu64
                " tasks not in their queue\n",
                n->turns, n->relief, n->late, n->not_queued);
    if (w->permits != 0)
        print_words(&p,
                    "  permissions  %" PRIu64 " times granted, %" PRIu64 " revoked (PCP-DU-PF)\n",
                    n->opened, n->closed);
    else
        print_words(&p, "  permissions  none, so no PCP-DU-PF: %.*s\n",
                    (int)sizeof w->no_permits - 1, w->no_permits);
}

struct user {
    uint32_t user, lowest, highest, tasks, locks;
};

static const struct print_field user_fields[] = {
    {PRINT_FIELD("user", NULL, PRINT_UNSIGNED, user, user), .width = -7, .before = "  user "},
    {PRINT_FIELD("lowest", NULL, PRINT_UNSIGNED, user, lowest), .before = " priorities "},
    {PRINT_FIELD("highest", NULL, PRINT_UNSIGNED, user, highest), .before = "-"},
    {PRINT_FIELD("tasks", NULL, PRINT_UNSIGNED, user, tasks), .before = ", "},
    {PRINT_FIELD("locks", NULL, PRINT_UNSIGNED, user, locks), .before = " tasks, "},
};

static void end_user(const struct printer *p, const void *record, const void *context)
{
    (void)record;
    (void)context;
    print_words(p, " locks\n");
}

static const struct print_record user_record = PRINT_RECORD(user_fields, end_user);

static void print_users(const struct printer *p, const struct fw_rt_scx_state *w)
{
    struct user users[FW_RT_SCX_GRANTS];
    size_t n = 0;

    for (; n < w->grants && n < FW_RT_SCX_GRANTS; n++)
        users[n] = (struct user){w->grant[n].uid, w->grant[n].lowest, w->grant[n].highest,
                                 w->grant[n].tasks, w->grant[n].locks};
    print_list(p, "users", &user_record, users, n, sizeof *users, NULL);
}

static void print(bool as_json, const struct fw_rt_scx_state *w, const struct rt_view *v,
                  const char *reason)
{
    struct printer p = print_begin(as_json, "furwock-rt-scheduler-1");
    bool is_running = v->state.alive != 0;

    print_member(&p, "state", json_string(is_running ? "running" : "ended"));
    print_member(&p, "reason", is_running ? json_null() : json_string(reason));
    if (is_running)
        print_words(&p, "running: %u task%s, %u lock%s, %" PRIu32 " user%s\n", v->tasks,
                    print_plural(v->tasks), v->locks, print_plural(v->locks), w->grants,
                    print_plural(w->grants));
    else
        print_words(&p, "ended: %s; its tasks go on under the kernel's usual scheduling\n", reason);
    print_counts(&p, w);
    print_users(&p, w);
    rt_show(&p, v);
    print_end(&p);
}

/* There is no state to look at. */
static int show_none(bool as_json, int error)
{
    struct printer p = print_begin(as_json, "furwock-rt-scheduler-1");
    bool is_known = error == ENOENT || error == ENOTSUP;
    const char *state = is_known ? "not running" : "unknown";
    char line[512] = "";

    fw_rt_scx_possible(line, sizeof line);
    print_member(&p, "state", json_string(state));
    print_member(&p, "reason", json_string(is_known ? line : strerror(error)));
    print_words(&p, "%s: %s\n", state, is_known ? line : strerror(error));
    print_end(&p);
    return is_known ? RT_RUNS_NOT : RT_UNKNOWN;
}

int rt_scheduler_show(bool as_json)
{
    static struct rt_view view;
    const struct fw_rt_scx_state *w;
    char reason[2 * FW_RT_SCX_REASON + 4];

    errno = ENOENT;
    w = fw_rt_scx_state_map();
    if (w == NULL)
        return show_none(as_json, errno);
    look(&view, w, 0);
    read_reason(w, reason, sizeof reason);
    print(as_json, w, &view, reason);
    rt_scheduler_unmap(w);
    return view.state.alive != 0 ? EXIT_SUCCESS : RT_RUNS_NOT;
}
