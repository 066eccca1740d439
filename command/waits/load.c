/* SPDX-License-Identifier: MIT */
/* Contract: recording.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "intern.h"
#include "recording.h"
#include "stacks.h"

/* What is being read; all that is wrong with it ends the program. */
struct reading {
    const char *name;
    const struct waits_frame **frames;
    const struct waits_stack **stacks;
    size_t frame_count, stack_count, process_count;
    struct waits_process *processes;
    struct waits_view *view;
};

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

__attribute__((noreturn)) static void die(const struct reading *r, const char *what)
{
    command_die(COMMAND_FAILED, "%s is no whole recording: %s", r->name, what);
}

static const json_t *list_of(const struct reading *r, const json_t *object, const char *key)
{
    const json_t *list = json_object_get(object, key);

    if (!json_is_array(list))
        die(r, key);
    return list;
}

static uint64_t number_of(const struct reading *r, const json_t *value, const char *what)
{
    if (json_is_true(value) || json_is_false(value))
        return json_is_true(value);
    if (!json_is_integer(value))
        die(r, what);
    return (uint64_t)json_integer_value(value);
}

static uint64_t member(const struct reading *r, const json_t *object, const char *key)
{
    return number_of(r, json_object_get(object, key), key);
}

static double real_member(const struct reading *r, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_number(value))
        die(r, key);
    return json_number_value(value);
}

static void copy_text(char *to, size_t size, const json_t *value)
{
    const char *text = json_string_value(value);

    snprintf(to, size, "%s", text != NULL ? text : "");
}

/* --- Stacks ----------------------------------------------------------------------------------- */

static void load_frames(struct reading *r, const json_t *root)
{
    const json_t *list = list_of(r, root, "frames"), *one;
    size_t i;

    r->frame_count = json_array_size(list);
    r->frames = must(calloc(r->frame_count + 1, sizeof(struct waits_frame *)));
    json_array_foreach((json_t *)list, i, one)
    {
        struct waits_frame f = {
            .function = json_string_value(json_array_get(one, 0)),
            .called = json_string_value(json_array_get(one, 1)),
            .file = json_string_value(json_array_get(one, 2)),
            .line = (int)number_of(r, json_array_get(one, 3), "frames"),
            .module = json_string_value(json_array_get(one, 4)),
            .offset = number_of(r, json_array_get(one, 5), "frames"),
            .address = number_of(r, json_array_get(one, 6), "frames"),
            .is_guess = number_of(r, json_array_get(one, 7), "frames") != 0,
        };
        if (f.line != 0 && f.file == NULL)
            die(r, "frames");
        r->frames[i] = stacks_frame(&f);
    }
}

static void load_stacks(struct reading *r, const json_t *root)
{
    const json_t *list = list_of(r, root, "stacks"), *one, *id;
    size_t i, n;

    r->stack_count = json_array_size(list);
    r->stacks = must(calloc(r->stack_count + 1, sizeof(struct waits_stack *)));
    json_array_foreach((json_t *)list, i, one)
    {
        size_t count = json_array_size(one);
        const struct waits_frame **frames = must(calloc(count + 1, sizeof *frames));
        json_array_foreach((json_t *)one, n, id)
        {
            uint64_t number = number_of(r, id, "stacks");
            if (number >= r->frame_count)
                die(r, "stacks");
            frames[n] = r->frames[number];
        }
        r->stacks[i] = stacks_stack(frames, (unsigned)count);
        free(frames);
    }
}

static const struct waits_stack *stack_of(const struct reading *r, const json_t *id)
{
    uint64_t number;

    if (json_is_null(id))
        return NULL;
    number = number_of(r, id, "stacks");
    if (number >= r->stack_count)
        die(r, "stacks");
    return r->stacks[number];
}

/* --- Locks ------------------------------------------------------------------------------------ */

static void load_processes(struct reading *r, const json_t *root)
{
    const json_t *list = list_of(r, root, "processes"), *one;
    size_t i;

    r->process_count = json_array_size(list);
    r->processes = must(calloc(r->process_count + 1, sizeof *r->processes));
    json_array_foreach((json_t *)list, i, one)
    {
        struct waits_process *p = &r->processes[i];
        p->pid = (pid_t)member(r, one, "pid");
        copy_text(p->name, sizeof p->name, json_object_get(one, "name"));
        copy_text(p->program, sizeof p->program, json_object_get(one, "program"));
    }
    r->view->processes = (unsigned)r->process_count;
}

static void load_places(const struct reading *r, struct waits_lock *l, const json_t *one)
{
    const json_t *list = list_of(r, one, "places"), *place;
    size_t i;

    json_array_foreach((json_t *)list, i, place)
    {
        const struct waits_stack *waiter = stack_of(r, json_object_get(place, "waiter"));
        if (waiter == NULL)
            die(r, "places");
        struct waits_site *s =
            waits_site_of(l, waiter, stack_of(r, json_object_get(place, "waker")));
        s->waits += real_member(r, place, "waits");
        s->ns += real_member(r, place, "ns");
        s->longest = member(r, place, "longest");
        s->samples += (unsigned)member(r, place, "samples");
    }
}

static struct waits_lock *load_lock(const struct reading *r, const json_t *one)
{
    struct waits_lock *l = must(calloc(1, sizeof *l));
    const char *kind = json_string_value(json_object_get(one, "kind"));
    const char *class = json_string_value(json_object_get(one, "class"));
    const json_t *pair;
    uint64_t process = member(r, one, "process");
    size_t i;

    if (process >= r->process_count || kind == NULL || class == NULL)
        die(r, "locks");
    l->process = &r->processes[process];
    l->address = member(r, one, "address");
    l->name = intern_text(json_string_value(json_object_get(one, "name")));
    l->kind = intern_text(kind);
    l->class = strcmp(class, "lock") == 0 ? WAITS_LOCK : WAITS_OTHER;
    l->op = (uint32_t)member(r, one, "op");
    l->waits = member(r, one, "waits");
    l->total = member(r, one, "total");
    l->late = member(r, one, "late");
    l->longest = member(r, one, "longest");
    l->by_other = member(r, one, "by_other");
    l->waiters = (unsigned)member(r, one, "waiters");
    l->oldest = member(r, one, "oldest");
    l->owner = (pid_t)member(r, one, "owner");
    l->owner_is_known = member(r, one, "owner_known") != 0;
    copy_text(l->owner_name, sizeof l->owner_name, json_object_get(one, "owner_name"));
    json_array_foreach((json_t *)list_of(r, one, "buckets"), i, pair)
    {
        uint64_t bucket = number_of(r, json_array_get(pair, 0), "buckets");
        if (bucket >= FW_WAITS_BUCKETS)
            die(r, "buckets");
        l->buckets[bucket] = (uint32_t)number_of(r, json_array_get(pair, 1), "buckets");
    }
    load_places(r, l, one);
    return l;
}

static void load_locks(struct reading *r, const json_t *root)
{
    const json_t *list = list_of(r, root, "locks"), *one;
    struct waits_view *v = r->view;
    size_t i;

    v->locks = must(calloc(json_array_size(list) + 1, sizeof(struct waits_lock *)));
    json_array_foreach((json_t *)list, i, one) v->locks[v->count++] = load_lock(r, one);
}

/* --- Single waits ----------------------------------------------------------------------------- */

static void load_samples(const struct reading *r, const json_t *root)
{
    const json_t *list = list_of(r, root, "samples"), *one;
    struct waits_view *v = r->view;
    size_t i;

    v->samples = must(calloc(json_array_size(list) + 1, sizeof *v->samples));
    json_array_foreach((json_t *)list, i, one)
    {
        struct waits_sample *s = &v->samples[v->sample_count++];
        uint64_t n[10] = {0};
        for (size_t k = 0; k < 10; k++)
            if (k != 6 && k != 7)
                n[k] = number_of(r, json_array_get(one, k), "samples");
        *s = (struct waits_sample){.start = n[0],
                                   .ns = n[1],
                                   .late = n[2],
                                   .tid = (pid_t)n[3],
                                   .waker = (pid_t)n[4],
                                   .lock = (unsigned)n[5],
                                   .weight = (uint32_t)n[8],
                                   .by_other = n[9] != 0};
        s->waiter_stack = stack_of(r, json_array_get(one, 6));
        s->waker_stack = stack_of(r, json_array_get(one, 7));
        if (s->lock >= v->count || s->waiter_stack == NULL)
            die(r, "samples");
    }
}

static void load_threads(const struct reading *r, const json_t *root)
{
    const json_t *list = list_of(r, root, "threads"), *one;
    struct waits_view *v = r->view;
    size_t i;

    v->threads = must(calloc(json_array_size(list) + 1, sizeof *v->threads));
    json_array_foreach((json_t *)list, i, one)
    {
        struct waits_thread *t = &v->threads[v->thread_count++];
        t->tid = (pid_t)member(r, one, "tid");
        t->pid = (pid_t)member(r, one, "pid");
        copy_text(t->name, sizeof t->name, json_object_get(one, "name"));
    }
}

const struct waits_view *recording_load(const json_t *root, const char *name)
{
    static struct waits_view view;
    struct reading r = {.name = name, .view = &view};
    const char *format = json_string_value(json_object_get(root, "format"));

    if (format == NULL || strcmp(format, RECORDING_FORMAT) != 0)
        command_die(COMMAND_FAILED, "%s is no recording of furwock record (its format is %s)", name,
                    format != NULL ? format : "unknown");
    view.started = real_member(&r, root, "started");
    view.seconds = real_member(&r, root, "seconds");
    if (!(view.seconds > 0))
        die(&r, "seconds");
    const json_t *lost = json_object_get(root, "lost");
    view.lost.waits = member(&r, lost, "waits");
    view.lost.samples = member(&r, lost, "samples");
    load_frames(&r, root);
    load_stacks(&r, root);
    load_processes(&r, root);
    load_locks(&r, root);
    load_samples(&r, root);
    load_threads(&r, root);
    free(r.frames);
    free(r.stacks);
    return &view;
}
