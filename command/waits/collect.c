/* SPDX-License-Identifier: MIT */
/* Events of single waits become sites of locks. */
#include <stdlib.h>
#include <string.h>

#include "command/print/visible.h"
#include "intern.h"
#include "seen.h"

enum { SITES_MAX = 200 }; /* of a lock; what is more than that is added to the last one */

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

/* --- Locks ------------------------------------------------------------------------------------ */

static struct seen *new_seen(struct watch *w, struct process *process, uint64_t address)
{
    struct seen *s = must(calloc(1, sizeof *s));

    s->futex = address;
    s->shown.address = address;
    s->shown.process = &process->shown;
    s->shown.kind = "futex";
    s->shown.class = WAITS_LOCK;
    s->kind.text = "futex";
    s->kind.class = WAITS_LOCK;
    s->kind.object = address;
    w->all = must(realloc(w->all, (w->seen_count + 1) * sizeof(struct seen *)));
    s->index = w->seen_count;
    return w->all[w->seen_count++] = s;
}

struct seen *seen_entry(struct watch *w, unsigned entry, uint64_t address, pid_t pid, uint32_t op)
{
    struct seen *s = w->entries[entry];
    struct process *process;

    if (s != NULL && s->futex == address && s->shown.process->pid == pid)
        return s;
    process = processes_get(&w->processes, pid);
    if (process == NULL)
        return NULL;
    if (s != NULL)
        s->is_over = true;
    s = new_seen(w, process, address);
    s->shown.op = s->kind.op = op;
    return w->entries[entry] = s;
}

struct seen *seen_parked(struct watch *w, const struct seen *parker, uint64_t object)
{
    struct seen *s;

    for (unsigned i = 0; i < w->seen_count; i++) {
        s = w->all[i];
        if (s->is_parked && s->shown.process == parker->shown.process && s->kind.object == object &&
            strcmp(s->kind.text, parker->kind.text) == 0)
            return s;
    }
    s = new_seen(w, (struct process *)parker->shown.process, object);
    s->is_parked = s->has_kind = true;
    s->kind = parker->kind;
    s->kind.object = object;
    return s;
}

void seen_name(struct seen *s)
{
    struct process *process = (struct process *)s->shown.process;
    char *name;

    if (s->has_name || process->is_forgotten || s->kind.object == 0)
        return;
    s->has_name = true;
    name = stacks_variable(processes_stacks(process), s->kind.object);
    s->shown.name = intern_text(name);
    if (name != NULL)
        kind_by_name(&s->kind, name);
    free(name);
}

static unsigned bucket_of(uint64_t ns)
{
    unsigned bit;

    if (ns >> FW_WAITS_FIRST_BIT == 0)
        return 0;
    if (ns >> FW_WAITS_LAST_BIT != 0)
        return FW_WAITS_BUCKETS - 1;
    bit = 63 - (unsigned)__builtin_clzll(ns);
    return 1 + ((bit - FW_WAITS_FIRST_BIT) << FW_WAITS_SUB_BITS) +
           (unsigned)(ns >> (bit - FW_WAITS_SUB_BITS) & ((1 << FW_WAITS_SUB_BITS) - 1));
}

/* --- Events ----------------------------------------------------------------------------------- */

static struct pending *pending_of(struct watch *w, pid_t tid)
{
    return &w->pending[(unsigned)tid & (FW_WAITS_SLOTS - 1)];
}

/* Of a recording: the threads that were in it. */
static void note_thread(struct watch *w, const struct fw_waits_stack_event *e)
{
    unsigned *at = &w->thread_at[e->tid & (FW_WAITS_SLOTS - 1)];
    struct waits_thread *t;

    if (!w->options.keep || (*at != 0 && w->threads[*at - 1].tid == (pid_t)e->tid &&
                             strncmp(w->threads[*at - 1].name, e->comm, sizeof e->comm - 1) == 0))
        return;
    if (*at == 0 || w->threads[*at - 1].tid != (pid_t)e->tid) {
        if (w->thread_count == w->thread_room) {
            w->thread_room = w->thread_room == 0 ? 256 : 2 * w->thread_room;
            w->threads = must(realloc(w->threads, w->thread_room * sizeof *w->threads));
        }
        *at = (unsigned)++w->thread_count;
    }
    t = &w->threads[*at - 1];
    *t = (struct waits_thread){.tid = (pid_t)e->tid, .pid = (pid_t)e->tgid};
    memcpy(t->name, e->comm, sizeof t->name - 1);
    visible(t->name);
}

static void see_sleep(struct watch *w, const struct fw_waits_stack_event *e)
{
    struct pending *p = pending_of(w, (pid_t)e->of.tid);
    struct seen *s = e->of.lock < FW_WAITS_LOCKS
                         ? seen_entry(w, e->of.lock, e->of.address, (pid_t)e->of.tgid, e->of.op)
                         : NULL;
    struct stacks_process *stacks;

    *p = (struct pending){.tid = 0};
    note_thread(w, e);
    if (s == NULL)
        return;
    stacks = processes_stacks((struct process *)s->shown.process);
    *p = (struct pending){.tid = (pid_t)e->of.tid,
                          .lock = s,
                          .start = e->of.start,
                          .weight = e->of.weight,
                          .waiter = stacks_of_event(stacks, e)};
    s->kind.op = e->of.op;
    s->kind.value = (uint32_t)e->value;
    kind_find(&s->kind, stacks, p->waiter, s->futex, e);
    if (s->shown.name != NULL)
        kind_by_name(&s->kind, s->shown.name);
    s->has_kind = true;
    if (!s->kind.is_parker)
        seen_name(s);
    p->object = s->kind.object;
}

static void see_wake(struct watch *w, const struct fw_waits_stack_event *e)
{
    struct pending *p = pending_of(w, (pid_t)e->of.tid);
    struct process *process;

    if (p->tid != (pid_t)e->of.tid || p->start != e->of.start)
        return;
    note_thread(w, e);
    process = processes_get(&w->processes, (pid_t)e->tgid);
    if (process != NULL && !process->has_ended)
        p->waker = stacks_of_event(processes_stacks(process), e);
}

static void keep_sample(struct watch *w, const struct pending *p,
                        const struct fw_waits_run_event *e, struct seen *lock)
{
    struct waits_sample *s;

    if (w->sample_count == w->sample_room) {
        w->sample_room = w->sample_room == 0 ? 1024 : 2 * w->sample_room;
        w->samples = must(realloc(w->samples, w->sample_room * sizeof *w->samples));
    }
    s = &w->samples[w->sample_count++];
    *s = (struct waits_sample){
        .start = e->of.start > w->began ? e->of.start - w->began : 0,
        .ns = e->now - e->of.start,
        .late = e->woken != 0 && e->now > e->woken ? e->now - e->woken : 0,
        .lock = lock->index,
        .tid = p->tid,
        .waker = (pid_t)e->waker,
        .waiter_stack = p->waiter,
        .waker_stack = p->waker,
        .weight = p->weight,
        .by_other = e->end == FW_WAITS_BY_OTHER,
    };
}

static void add_parked(struct seen *s, const struct fw_waits_run_event *e)
{
    struct waits_lock *l = &s->shown;
    uint64_t ns = e->now - e->of.start;

    l->waits += e->of.weight;
    l->total += ns * e->of.weight;
    if (e->woken != 0 && e->now > e->woken)
        l->late += (e->now - e->woken) * e->of.weight;
    if (e->end == FW_WAITS_BY_OTHER)
        l->by_other += e->of.weight;
    if (ns > l->longest)
        l->longest = ns;
    l->buckets[bucket_of(ns)] += e->of.weight;
}

static void see_run(struct watch *w, const struct fw_waits_run_event *e)
{
    struct pending *p = pending_of(w, (pid_t)e->of.tid);
    uint64_t ns = e->now - e->of.start;
    struct waits_site *site;
    struct seen *s;

    if (p->tid != (pid_t)e->of.tid || p->start != e->of.start)
        return;
    s = p->lock;
    if (s->kind.is_parker) {
        s = seen_parked(w, s, p->object);
        add_parked(s, e);
    }
    site = s->shown.site_count < SITES_MAX ? waits_site_of(&s->shown, p->waiter, p->waker)
                                           : &s->shown.sites[SITES_MAX - 1];
    site->samples++;
    site->waits += p->weight;
    site->ns += (double)ns * p->weight;
    if (ns > site->longest)
        site->longest = ns;
    if (w->options.keep)
        keep_sample(w, p, e, s);
    p->tid = 0;
}

void collect(void *watch, const struct fw_waits_event *event)
{
    switch (event->kind) {
    case FW_WAITS_SLEEP:
        see_sleep(watch, (const struct fw_waits_stack_event *)event);
        break;
    case FW_WAITS_WAKE:
        see_wake(watch, (const struct fw_waits_stack_event *)event);
        break;
    case FW_WAITS_RUN:
        see_run(watch, (const struct fw_waits_run_event *)event);
        break;
    default:
        break;
    }
}
