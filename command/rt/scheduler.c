/* SPDX-License-Identifier: MIT */
#include "scheduler.h"

#include <errno.h>
#include <furwock/rt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <furwock/bits/atomic.h>

#include "bpf/sched/loader.h"
#include "command/command.h"
#include "command/print/json.h"
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

static void print_text(const struct fw_rt_scx_state *w, const struct rt_view *v, const char *reason)
{
    const struct fw_rt_scx_counts *n = &w->counts;

    if (v->state.alive == 0)
        printf("ended: %s; its tasks go on under the kernel's usual scheduling\n", reason);
    else
        printf("running: %u task%s, %u lock%s, %" PRIu32 " user%s\n", v->tasks,
               v->tasks == 1 ? "" : "s", v->locks, v->locks == 1 ? "" : "s", w->grants,
               w->grants == 1 ? "" : "s");
    printf("  decisions    %" PRIu64 ", %" PRIu64 " of them for a task in another's place\n",
           n->dispatches, n->donations);
    printf("  requests     %" PRIu64 ", %" PRIu64 " locks given, %" PRIu64 " of them passed on\n",
           n->requests, n->grants, n->handed);
    printf("  deaths       %" PRIu64 " in a section\n", n->died);
    printf("  departures   %" PRIu64 " turns of blocked tasks, %" PRIu64
           " of starved threads, %" PRIu64 " late decisions, %" PRIu64 " strays\n",
           n->turns, n->relief, n->late, n->not_queued);
    if (w->permits != 0)
        printf("  gates        %" PRIu64 " times opened, %" PRIu64 " closed (PCP-DU-PF)\n",
               n->opened, n->closed);
    else
        printf("  gates        none, so no PCP-DU-PF: %.*s\n", (int)sizeof w->no_permits - 1,
               w->no_permits);
    for (uint32_t i = 0; i < w->grants && i < FW_RT_SCX_GRANTS; i++)
        printf("  user %-7" PRIu32 " priorities %" PRIu32 "-%" PRIu32 ", %" PRIu32
               " tasks, %" PRIu32 " locks\n",
               w->grant[i].uid, w->grant[i].lowest, w->grant[i].highest, w->grant[i].tasks,
               w->grant[i].locks);
    rt_show_text(v);
}

static void print_json(const struct fw_rt_scx_state *w, const struct rt_view *v, const char *reason)
{
    json_t *users = json_array(), *whole;

    for (uint32_t i = 0; i < w->grants && i < FW_RT_SCX_GRANTS; i++)
        json_array_append_new(users, json_pack("{s:I s:I s:I s:I s:I}", "user",
                                               (json_int_t)w->grant[i].uid, "lowest",
                                               (json_int_t)w->grant[i].lowest, "highest",
                                               (json_int_t)w->grant[i].highest, "tasks",
                                               (json_int_t)w->grant[i].tasks, "locks",
                                               (json_int_t)w->grant[i].locks));
    whole = json_pack("{s:s s:s s:o s:o s:{s:I s:I s:I s:I s:I s:I s:I s:I s:I s:I}}", "format",
                      "furwock-rt-scheduler-1", "state", v->state.alive != 0 ? "running" : "ended",
                      "reason", v->state.alive != 0 ? json_null() : json_string(reason), "users",
                      users, "counts", "decisions", (json_int_t)w->counts.dispatches, "heirs",
                      (json_int_t)w->counts.donations, "requests", (json_int_t)w->counts.requests,
                      "given", (json_int_t)w->counts.grants, "passed_on",
                      (json_int_t)w->counts.handed, "died", (json_int_t)w->counts.died, "turns",
                      (json_int_t)w->counts.turns, "starved", (json_int_t)w->counts.relief, "late",
                      (json_int_t)w->counts.late, "strays", (json_int_t)w->counts.not_queued);
    rt_show_json(v, whole);
    command_print_json(whole);
}

/* There is no state to look at. */
static int show_none(bool as_json, int error)
{
    int status = error == ENOENT || error == ENOTSUP ? RT_RUNS_NOT : RT_UNKNOWN;
    const char *state = status == RT_RUNS_NOT ? "not running" : "unknown";
    char queue[512] = "";

    fw_rt_scx_possible(queue, sizeof queue);
    if (as_json) {
        json_t *whole = json_pack("{s:s s:s s:s}", "format", "furwock-rt-scheduler-1", "state",
                                  state, "reason", status == RT_RUNS_NOT ? queue : strerror(error));
        command_print_json(whole);
    } else {
        printf("%s: %s\n", state, status == RT_RUNS_NOT ? queue : strerror(error));
    }
    return status;
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
    if (as_json)
        print_json(w, &view, reason);
    else
        print_text(w, &view, reason);
    rt_scheduler_unmap(w);
    return view.state.alive != 0 ? EXIT_SUCCESS : RT_RUNS_NOT;
}
