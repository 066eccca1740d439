/* SPDX-License-Identifier: MIT */
/* Contract: recording.h. */
#include <stdlib.h>

#include "recording.h"
#include "stacks.h"

/* An entry of a list; the program ends if there is no memory for it. */
static void append(json_t *list, json_t *value)
{
    if (json_array_append_new(list, value) != 0)
        abort();
}

static json_t *text(const char *t)
{
    return t != NULL ? json_string(t) : json_null();
}

static json_t *whole(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *save_frames(void)
{
    json_t *list = json_array();
    const struct waits_frame *f;

    for (unsigned i = 0; (f = stacks_frame_at(i)) != NULL; i++) {
        json_t *one = json_array();
        append(one, text(f->function));
        append(one, text(f->called));
        append(one, text(f->file));
        append(one, json_integer(f->line));
        append(one, text(f->module));
        append(one, whole(f->offset));
        append(one, whole(f->address));
        append(one, json_integer(f->is_guess));
        append(list, one);
    }
    return list;
}

static json_t *save_stacks(void)
{
    json_t *list = json_array();
    const struct waits_stack *s;

    for (unsigned i = 0; (s = stacks_stack_at(i)) != NULL; i++) {
        json_t *one = json_array();
        for (unsigned f = 0; f < s->count; f++)
            append(one, json_integer(s->frames[f]->id));
        append(list, one);
    }
    return list;
}

static json_t *stack_id(const struct waits_stack *s)
{
    return s != NULL ? json_integer(s->id) : json_null();
}

static json_t *save_places(const struct waits_lock *l)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < l->site_count; i++) {
        const struct waits_site *s = &l->sites[i];
        append(list, json_pack("{s:o, s:o, s:f, s:f, s:o, s:i}", "waiter", stack_id(s->waiter),
                               "waker", stack_id(s->waker), "waits", s->waits, "ns", s->ns,
                               "longest", whole(s->longest), "samples", (int)s->samples));
    }
    return list;
}

static json_t *save_buckets(const struct waits_lock *l)
{
    json_t *list = json_array();

    for (int i = 0; i < FW_WAITS_BUCKETS; i++)
        if (l->buckets[i] != 0)
            append(list, json_pack("[i, o]", i, whole(l->buckets[i])));
    return list;
}

static json_t *save_lock(const struct waits_lock *l, unsigned process)
{
    json_t *one = json_pack("{s:i, s:o, s:o, s:s, s:s, s:i}", "process", (int)process, "address",
                            whole(l->address), "name", text(l->name), "kind", l->kind, "class",
                            l->class == WAITS_LOCK ? "lock" : "other", "op", (int)l->op);

    json_object_set_new(one, "waits", whole(l->waits));
    json_object_set_new(one, "total", whole(l->total));
    json_object_set_new(one, "late", whole(l->late));
    json_object_set_new(one, "longest", whole(l->longest));
    json_object_set_new(one, "by_other", whole(l->by_other));
    json_object_set_new(one, "buckets", save_buckets(l));
    json_object_set_new(one, "waiters", json_integer(l->waiters));
    json_object_set_new(one, "oldest", whole(l->oldest));
    json_object_set_new(one, "owner", json_integer(l->owner));
    json_object_set_new(one, "owner_known", json_boolean(l->owner_is_known));
    json_object_set_new(one, "owner_name", text(l->owner_name));
    json_object_set_new(one, "places", save_places(l));
    return one;
}

/* Processes are numbered as the locks come. */
static void save_locks(json_t *root, const struct waits_view *v)
{
    const struct waits_process **known = calloc(v->count + 1, sizeof(struct waits_process *));
    json_t *processes = json_array(), *locks = json_array();
    unsigned count = 0;

    if (known == NULL)
        abort();
    for (unsigned i = 0; i < v->count; i++) {
        const struct waits_process *p = v->locks[i]->process;
        unsigned n = 0;
        while (n < count && known[n] != p)
            n++;
        if (n == count) {
            known[count++] = p;
            append(processes, json_pack("{s:i, s:s, s:s}", "pid", (int)p->pid, "name", p->name,
                                        "program", p->program));
        }
        append(locks, save_lock(v->locks[i], n));
    }
    free(known);
    json_object_set_new(root, "processes", processes);
    json_object_set_new(root, "locks", locks);
}

static json_t *save_samples(const struct waits_view *v)
{
    json_t *list = json_array();

    for (size_t i = 0; i < v->sample_count; i++) {
        const struct waits_sample *s = &v->samples[i];
        json_t *one = json_array();
        append(one, whole(s->start));
        append(one, whole(s->ns));
        append(one, whole(s->late));
        append(one, json_integer(s->tid));
        append(one, json_integer(s->waker));
        append(one, json_integer(s->lock));
        append(one, stack_id(s->waiter_stack));
        append(one, stack_id(s->waker_stack));
        append(one, json_integer(s->weight));
        append(one, json_integer(s->by_other));
        append(list, one);
    }
    return list;
}

static json_t *save_threads(const struct waits_view *v)
{
    json_t *list = json_array();

    for (size_t i = 0; i < v->thread_count; i++)
        append(list, json_pack("{s:i, s:i, s:s}", "tid", (int)v->threads[i].tid, "pid",
                               (int)v->threads[i].pid, "name", v->threads[i].name));
    return list;
}

json_t *recording_save(const struct waits_view *v)
{
    json_t *root = json_pack("{s:s, s:f, s:f, s:{s:I, s:I}}", "format", RECORDING_FORMAT, "started",
                             v->started, "seconds", v->seconds, "lost", "waits",
                             (json_int_t)v->lost.waits, "samples", (json_int_t)v->lost.samples);

    json_object_set_new(root, "frames", save_frames());
    json_object_set_new(root, "stacks", save_stacks());
    save_locks(root, v);
    json_object_set_new(root, "threads", save_threads(v));
    json_object_set_new(root, "samples", save_samples(v));
    return root;
}
