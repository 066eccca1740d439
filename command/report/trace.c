/* SPDX-License-Identifier: MIT */
/*
 * The Trace Event Format of Chrome, which Perfetto reads, too: of each sampled wait a slice (X) in
 * its thread's track, at its end an arrow (s, f) from the thread that ended it, and for the locks
 * that were waited for most a counter (C) of the sampled waiters.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "report.h"

enum { COUNTERS = 12 };
#define WAKE_US 1.0 /* shown length of a wake-up, which has none */

struct trace {
    FILE *out;
    const struct waits_view *view;
    const char *before; /* the next event */
};

static void put(struct trace *t, json_t *event)
{
    fputs(t->before, t->out);
    json_dumpf(event, t->out, JSON_COMPACT | JSON_REAL_PRECISION(15));
    json_decref(event);
    t->before = ",\n";
}

static const struct waits_thread *thread_of(const struct trace *t, pid_t tid)
{
    for (size_t i = t->view->thread_count; i-- > 0;)
        if (t->view->threads[i].tid == tid)
            return &t->view->threads[i];
    return NULL;
}

static void put_names(struct trace *t)
{
    const struct waits_view *v = t->view;

    for (unsigned i = 0; i < v->count; i++) {
        const struct waits_process *p = v->locks[i]->process;
        unsigned before = 0;
        while (v->locks[before]->process != p)
            before++;
        if (before == i)
            put(t, json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "ph", "M", "name", "process_name",
                             "pid", (int)p->pid, "tid", 0, "args", "name", p->name));
    }
    for (size_t i = 0; i < v->thread_count; i++)
        put(t, json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "ph", "M", "name", "thread_name", "pid",
                         (int)v->threads[i].pid, "tid", (int)v->threads[i].tid, "args", "name",
                         v->threads[i].name));
}

static json_t *stack_text(const struct waits_stack *s)
{
    json_t *list = json_array();
    char text[512];

    if (s == NULL)
        return json_null();
    for (unsigned i = 0; i < s->last; i++)
        json_array_append_new(list, json_string(waits_frame_text(s->frames[i], text, sizeof text)));
    return list;
}

static void put_wait(struct trace *t, const struct waits_sample *s)
{
    const struct waits_lock *l = t->view->locks[s->lock];
    const struct waits_thread *waker = s->waker != 0 ? thread_of(t, s->waker) : NULL;
    double start = (double)s->start / 1e3, woken = (double)(s->start + s->ns - s->late) / 1e3;
    char lock[128], name[200];

    snprintf(name, sizeof name, "%s %s", l->kind, waits_lock_text(l, lock, sizeof lock));
    json_t *args = json_pack("{s:s, s:s, s:o, s:o, s:i, s:f}", "lock", lock, "kind", l->kind,
                             "waited at", stack_text(s->waiter_stack), "woken by",
                             stack_text(s->waker_stack), "stands for waits", (int)s->weight,
                             "us from wake-up to CPU", (double)s->late / 1e3);
    put(t, json_pack("{s:s, s:s, s:s, s:i, s:i, s:f, s:f, s:o}", "ph", "X", "name", name, "cat",
                     "wait", "pid", (int)l->process->pid, "tid", (int)s->tid, "ts", start, "dur",
                     (double)s->ns / 1e3, "args", args));
    if (waker == NULL)
        return;
    int id = (int)(s - t->view->samples) + 1;
    put(t,
        json_pack("{s:s, s:s, s:s, s:i, s:i, s:f, s:f}", "ph", "X", "name", "wakes", "cat", "wake",
                  "pid", (int)waker->pid, "tid", (int)s->waker, "ts", woken, "dur", WAKE_US));
    put(t, json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:f}", "ph", "s", "name", "wake", "cat",
                     "wake", "id", id, "pid", (int)waker->pid, "tid", (int)s->waker, "ts", woken));
    put(t, json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:f}", "ph", "f", "bp", "e", "name",
                     "wake", "cat", "wake", "id", id, "pid", (int)l->process->pid, "tid",
                     (int)s->tid, "ts", woken));
}

/* --- Counters --------------------------------------------------------------------------------- */

struct change {
    uint64_t at;
    int by;
};

static int compare_changes(const void *x, const void *y)
{
    const struct change *a = x, *b = y;

    return a->at < b->at ? -1 : a->at > b->at ? 1 : a->by - b->by;
}

static void put_counter(struct trace *t, unsigned lock)
{
    const struct waits_view *v = t->view;
    const struct waits_lock *l = v->locks[lock];
    struct change *changes = calloc(2 * v->sample_count + 1, sizeof *changes);
    size_t count = 0;
    char text[128], name[200];
    int now = 0;

    if (changes == NULL)
        abort();
    for (size_t i = 0; i < v->sample_count; i++)
        if (v->samples[i].lock == lock) {
            changes[count++] = (struct change){v->samples[i].start, 1};
            changes[count++] = (struct change){v->samples[i].start + v->samples[i].ns, -1};
        }
    qsort(changes, count, sizeof *changes, compare_changes);
    snprintf(name, sizeof name, "waiting for %s %s", l->kind,
             waits_lock_text(l, text, sizeof text));
    for (size_t i = 0; i < count; i++) {
        now += changes[i].by;
        put(t, json_pack("{s:s, s:s, s:i, s:f, s:{s:i}}", "ph", "C", "name", name, "pid",
                         (int)l->process->pid, "ts", (double)changes[i].at / 1e3, "args",
                         "sampled waiters", now));
    }
    free(changes);
}

void report_trace(FILE *out, const struct waits_view *v)
{
    struct trace t = {out, v, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"};

    put_names(&t);
    for (size_t i = 0; i < v->sample_count; i++)
        put_wait(&t, &v->samples[i]);
    for (unsigned i = 0; i < v->count && i < COUNTERS && v->locks[i]->class == WAITS_LOCK; i++)
        put_counter(&t, i);
    if (t.before[0] == '{') /* nothing at all */
        fputs(t.before, out);
    fputs("\n]}\n", out);
}
