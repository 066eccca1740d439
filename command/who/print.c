/* SPDX-License-Identifier: MIT */
/* What furwock who has found: contract in who.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/print/print.h"
#include "command/print/visible.h"
#include "print_who.h"

/* --- Threads ---------------------------------------------------------------------------------- */

static const char *const states[] = {[TARGET_RUNNING] = "on a CPU",
                                     [TARGET_ASLEEP] = "in a system call",
                                     [TARGET_OTHER] = "stopped"};

/* A line of the table. */
struct row {
    char thread[WHO_TEXT];
    char waits[WHO_TEXT * 2];
    char held[WHO_TEXT * 2];
    char place[WHO_TEXT];
};

static void fill_held(const struct who *w, const struct who_wait *wait, char *text, size_t size)
{
    size_t used = 0;
    char word[WHO_TEXT];

    text[0] = '\0';
    for (unsigned i = 0; i < wait->holder_count && i < 3 && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? "; " : "",
                                 who_holder_words(w, &wait->holders[i], word));
    if (wait->holder_count > 3 && used < size)
        snprintf(text + used, size - used, "; %u more", wait->holder_count - 3);
    if (wait->holder_count == 0 && wait->what.readers != 0)
        snprintf(text, size, "%u reader%s, not recorded", wait->what.readers,
                 print_plural(wait->what.readers));
    if (text[0] == '\0')
        snprintf(text, size, "-");
}

static void fill_row(const struct who *w, size_t thread, struct row *r)
{
    const struct who_thread *t = &w->threads[thread];
    char word[WHO_TEXT];

    who_thread_words(w, thread, r->thread);
    if (*who_place_words(t, r->place) == '\0')
        strcpy(r->place, "-");
    snprintf(r->waits, sizeof r->waits, "%s %s%s", t->wait.what.action,
             who_object_words(&t->wait, word), t->wait.is_timed ? ", with a time-out" : "");
    fill_held(w, &t->wait, r->held, sizeof r->held);
}

static const struct print_field row_fields[] = {
    {PRINT_FIELD(NULL, "thread", PRINT_ARRAY, row, thread), .width = -22, .before = "  "},
    {PRINT_FIELD(NULL, "waits", PRINT_ARRAY, row, waits), .width = -38},
    {PRINT_FIELD(NULL, "held by", PRINT_ARRAY, row, held), .width = -22},
    {PRINT_FIELD(NULL, "in", PRINT_ARRAY, row, place)},
};
static const struct print_record row_record = PRINT_RECORD(row_fields, NULL);

static void print_table(const struct printer *p, const struct who *w)
{
    bool is_first = true;
    struct row row;

    for (size_t i = 0; i < w->thread_count; i++) {
        if (!w->threads[i].wait.is_waiting)
            continue;
        if (is_first) {
            print_words(p, "\n");
            print_header(p, &row_record);
        }
        is_first = false;
        fill_row(w, i, &row);
        print_record(p, &row_record, &row, NULL);
    }
}

/* --- Stacks ----------------------------------------------------------------------------------- */

static bool is_same_stack(const struct who_thread *a, const struct who_thread *b)
{
    if (a->target != b->target || a->frame_count != b->frame_count ||
        a->has_stack != b->has_stack || a->call.state != b->call.state)
        return false;
    for (unsigned i = 0; i < a->frame_count; i++)
        if (a->frames[i].address != b->frames[i].address)
            return false;
    return true;
}

static void print_stack(const struct printer *p, const struct who_thread *t)
{
    char word[WHO_TEXT];

    if (!t->has_stack)
        print_words(p, "      (on a CPU: its stack can be seen with --stop)\n");
    for (unsigned i = 0; i < t->frame_count; i++)
        print_words(p, "      %s\n", who_frame_words(t->target, &t->frames[i], word));
}

static void print_stacks(const struct printer *p, const struct who *w)
{
    bool *is_done = calloc(w->thread_count + 1, sizeof *is_done);
    char word[WHO_TEXT];

    if (is_done == NULL)
        abort();
    print_words(p, "\nStacks\n");
    for (size_t i = 0; i < w->thread_count; i++) {
        if (is_done[i] || w->threads[i].task != 0)
            continue;
        print_words(p, "  %s", who_thread_words(w, i, word));
        for (size_t k = i + 1; k < w->thread_count; k++)
            if (!is_done[k] && w->threads[k].task == 0 &&
                is_same_stack(&w->threads[i], &w->threads[k])) {
                is_done[k] = true;
                print_words(p, ", %s", who_thread_words(w, k, word));
            }
        print_words(p, "\n");
        print_stack(p, &w->threads[i]);
    }
    free(is_done);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *frame_json(struct target *t, const struct unwind_frame *f)
{
    const struct target_site *site = target_site_of(t, f->is_call ? f->address : f->address + 1);
    const struct location *l = &site->location;
    char text[WHO_TEXT];

    return json_pack("{s:o s:s s:o s:o s:I s:o s:I s:o s:b}", "address",
                     json_sprintf("0x%" PRIx64, f->address), "text", who_frame_words(t, f, text),
                     "symbol", print_text_json(l->symbol), "file", print_text_json(l->file), "line",
                     (json_int_t)l->line, "module", print_text_json(l->module), "offset",
                     (json_int_t)l->offset, "calls",
                     print_text_json(f->is_call ? site->called : NULL), "is_guess", f->is_guess);
}

static json_t *holder_json(const struct who *w, const struct who_holder *h)
{
    const struct who_thread *t = h->thread != WHO_NOBODY ? &w->threads[h->thread] : NULL;

    return json_pack("{s:o s:o s:I s:I s:s s:b s:b}", "process",
                     t != NULL ? json_integer(t->target->pid) : json_null(), "thread",
                     t != NULL && t->task == 0 ? json_integer(t->about.tid) : json_null(), "id",
                     (json_int_t)h->inner, "task", (json_int_t)h->task, "role", h->as, "is_gone",
                     h->is_gone, "is_unclear", h->is_unclear);
}

static json_t *wait_json(const struct who *w, const struct who_thread *t)
{
    const struct who_wait *wait = &t->wait;
    json_t *holders = json_array(), *object;

    if (!wait->is_waiting) {
        json_decref(holders);
        return json_null();
    }
    for (unsigned i = 0; i < wait->holder_count; i++)
        json_array_append_new(holders, holder_json(w, &wait->holders[i]));
    object = json_pack("{s:s s:s s:s s:o s:b s:I s:I s:I}", "kind", decode_kinds[wait->what.kind],
                       "details", who_details(&wait->what), "name", wait->name, "address",
                       json_sprintf("0x%" PRIx64, wait->what.object), "is_shared",
                       wait->key.is_shared, "device", (json_int_t)wait->key.device, "inode",
                       wait->key.is_shared ? (json_int_t)wait->key.inode : 0, "offset",
                       wait->key.is_shared ? (json_int_t)wait->key.at : 0);
    return json_pack("{s:s s:b s:o s:o s:I s:I s:o}", "action", wait->what.action, "is_timed",
                     wait->is_timed, "object", object, "holders", holders, "readers",
                     (json_int_t)wait->what.readers, "task", (json_int_t)wait->what.task, "mutex",
                     wait->what.mutex != 0 ? json_sprintf("0x%" PRIx64, wait->what.mutex)
                                           : json_null());
}

static json_t *thread_json(const struct who *w, const struct who_thread *t)
{
    json_t *stack = json_array();
    char name[sizeof t->about.name];

    snprintf(name, sizeof name, "%s", t->about.name);
    for (unsigned i = 0; i < t->frame_count; i++)
        json_array_append_new(stack, frame_json(t->target, &t->frames[i]));
    return json_pack("{s:I s:I s:I s:s s:s s:I s:o s:o s:o}", "process", (json_int_t)t->target->pid,
                     "thread", (json_int_t)t->about.tid, "inner_id", (json_int_t)t->about.inner,
                     "name", visible(name), "state", states[t->call.state], "call",
                     (json_int_t)t->call.number, "waits", wait_json(w, t), "cycle",
                     t->cycle != 0 ? json_integer(t->cycle) : json_null(), "stack", stack);
}

static json_t *task_json(const struct who *w, const struct who_thread *t)
{
    return json_pack("{s:I s:I s:o s:o}", "process", (json_int_t)t->target->pid, "task",
                     (json_int_t)t->task, "waits", wait_json(w, t), "cycle",
                     t->cycle != 0 ? json_integer(t->cycle) : json_null());
}

static json_t *cycle_json(const struct who *w, const struct who_cycle *c)
{
    json_t *threads = json_array(), *tasks = json_array();

    for (size_t k = 0; k < c->count; k++) {
        const struct who_thread *t = &w->threads[c->threads[k]];
        if (t->task != 0)
            json_array_append_new(tasks, json_integer(t->task));
        else
            json_array_append_new(threads, json_integer(t->about.tid));
    }
    return json_pack("{s:o s:o s:b}", "threads", threads, "tasks", tasks, "is_timed", c->is_timed);
}

static void print_json(const struct printer *p, const struct who *w)
{
    json_t *processes = json_array(), *threads = json_array(), *cycles = json_array();
    json_t *notes = json_array(), *tasks = json_array();

    for (size_t i = 0; i < w->target_count; i++)
        json_array_append_new(processes,
                              json_pack("{s:I s:s s:o}", "process", (json_int_t)w->targets[i]->pid,
                                        "name", visible(w->targets[i]->name), "runtime",
                                        print_text_json(w->targets[i]->runtime)));
    for (size_t i = 0; i < w->thread_count; i++) {
        const struct who_thread *t = &w->threads[i];
        json_array_append_new(t->task != 0 ? tasks : threads,
                              t->task != 0 ? task_json(w, t) : thread_json(w, t));
    }
    for (size_t i = 0; i < w->cycle_count; i++)
        json_array_append_new(cycles, cycle_json(w, &w->cycles[i]));
    for (unsigned i = 0; i < w->note_count; i++)
        json_array_append_new(notes, json_string(w->notes[i]));
    print_member(p, "processes", processes);
    print_member(p, "threads", threads);
    print_member(p, "tasks", tasks);
    print_member(p, "deadlocks", cycles);
    print_member(p, "notes", notes);
    print_member(p, "stops",
                 json_pack("{s:I s:I s:I}", "threads", (json_int_t)w->stopped, "ns",
                           (json_int_t)w->stopped_ns, "longest_ns",
                           (json_int_t)w->stopped_most_ns));
}

/* --- All -------------------------------------------------------------------------------------- */

void who_print(struct who *w, bool as_json, bool has_stacks)
{
    struct printer p = print_begin(as_json, "furwock-who-1");

    if (as_json) {
        print_json(&p, w);
    } else {
        who_print_summary(&p, w);
        who_print_deadlocks(&p, w);
        print_table(&p, w);
        if (has_stacks)
            print_stacks(&p, w);
    }
    print_end(&p);
}
