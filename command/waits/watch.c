/* SPDX-License-Identifier: MIT */
/* Contract: watch.h. */
#include "watch.h"

#include <stdlib.h>
#include <time.h>

#include "command/command.h"
#include "measure/clock.h"
#include "seen.h"

enum { EVENTS_MAX = 600 }; /* a poll: beyond that, samples are taken less often */
#define SECOND UINT64_C(1000000000)
#define INTERVAL_MAX 1000000000u /* ns */

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

static void begin(struct watch *w, const struct watch_options *o)
{
    char line[300] = "";
    struct timespec now;
    fw_bpf_result result = fw_waits_open(&w->waits, o->all, line, sizeof line);

    if (result != FW_BPF_DONE)
        command_die(COMMAND_FAILED, "%s", line);
    w->interval = o->samples == 0 ? 0 : (uint32_t)(SECOND / o->samples);
    fw_waits_set_interval(w->waits, w->interval);
    processes_find(&w->processes, w->waits, o);
    if (o->pid_count > 0 && w->processes.living == 0)
        command_die(COMMAND_FAILED, "there is no process %d", (int)o->pids[0]);
    if (fw_waits_attach(w->waits, line, sizeof line) != FW_BPF_DONE)
        command_die(COMMAND_FAILED, "%s", line);
    fw_waits_find_present(w->waits);
    clock_gettime(CLOCK_REALTIME, &now);
    w->started = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
    w->began = w->viewed = clock_ns();
}

struct watch *watch_open(const struct watch_options *options)
{
    struct watch *w = must(calloc(1, sizeof *w));

    w->options = *options;
    w->pending = must(calloc(FW_WAITS_SLOTS, sizeof *w->pending));
    w->thread_at = must(calloc(FW_WAITS_SLOTS, sizeof *w->thread_at));
    begin(w, options);
    return w;
}

void watch_close(struct watch *w)
{
    fw_waits_close(w->waits);
    rows_free(w);
    for (unsigned i = 0; i < w->seen_count; i++) {
        free(w->all[i]->shown.sites);
        free(w->all[i]);
    }
    free(w->all);
    free(w->pending);
    free(w->samples);
    free(w->threads);
    free(w->thread_at);
    processes_free(&w->processes);
    free(w);
}

void watch_poll(struct watch *w)
{
    unsigned events = fw_waits_read(w->waits, collect, w);

    if (events > EVENTS_MAX && w->interval < INTERVAL_MAX && w->options.samples != 0)
        fw_waits_set_interval(w->waits, w->interval *= 2);
}

/* Their entries are free again: what comes there next is another lock. */
static void let_go(struct watch *w)
{
    processes_forget(&w->processes, w->waits);
    for (unsigned i = 0; i < FW_WAITS_LOCKS; i++) {
        struct seen *s = w->entries[i];
        if (s == NULL || !((struct process *)s->shown.process)->is_forgotten)
            continue;
        s->is_over = true;
        w->entries[i] = NULL;
    }
}

void watch_look(struct watch *w)
{
    processes_find(&w->processes, w->waits, &w->options);
    if (processes_have_ended(&w->processes)) {
        watch_poll(w);
        rows_read(w);
        let_go(w);
    }
}

const struct waits_view *watch_view(struct watch *w)
{
    uint64_t now;

    watch_poll(w);
    processes_find(&w->processes, w->waits, &w->options);
    if (w->options.keep) /* the counts and the samples end at the same moment */
        fw_waits_detach(w->waits);
    watch_poll(w);
    now = clock_ns();
    rows_make(w, (double)(now - w->viewed) / 1e9);
    if (!w->options.keep)
        w->viewed = now;
    let_go(w);
    return &w->view;
}

bool watch_is_over(const struct watch *w)
{
    return w->options.pid_count > 0 && w->options.name_count == 0 && !w->options.all &&
           w->processes.living == 0;
}

const char *watch_warning(const struct watch *w)
{
    for (unsigned i = 0; i < w->processes.count; i++) {
        const struct process *p = w->processes.all[i];
        const char *why = p->stacks != NULL ? stacks_why(p->stacks) : NULL;
        if (why != NULL && !p->has_ended)
            return why;
    }
    return NULL;
}

void watch_cost(struct watch *w, uint64_t *ns, uint64_t *runs)
{
    fw_waits_cost(w->waits, ns, runs);
}
