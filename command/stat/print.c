/* SPDX-License-Identifier: MIT */
/* The figures of furwock run --stat: as text the most important ones, as JSON all. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command/print/machine.h"
#include "command/print/visible.h"
#include "show.h"

/* At most this many are shown in text. */
enum { PROCESSES = 8, LOCKS = 12, LOCKS_BRIEF = 5 };

/* What the functions below are about. */
struct view {
    const struct stat_process *process;
    const struct stat_reading *reading;
    const struct stat_about *about;
    struct locations *locations;
};

/* --- Locks ------------------------------------------------------------------------------------ */

static void print_lock(const struct printer *p, const struct view *v, unsigned index, bool is_first)
{
    struct stat_lock l = {.process = v->process,
                          .locations = v->locations,
                          .index = index,
                          .is_brief = v->about->is_brief};

    stat_print_lock(p, &l, is_first);
}

/* Those for which `is_lock` holds, or the others. */
static void print_some_locks(const struct printer *p, const struct view *v, bool is_lock)
{
    unsigned shown = 0, left = 0, most = v->about->is_brief ? LOCKS_BRIEF : LOCKS;

    for (unsigned i = 0; i < v->process->lock_count; i++) {
        unsigned lock = v->process->locks[i];
        if (stat_is_lock(v->process->file->locks[lock].key) != is_lock)
            continue;
        if (shown < most)
            print_lock(p, v, lock, shown++ == 0);
        else
            left++;
    }
    if (left != 0)
        print_words(p, "  and %u more\n", left);
}

static void print_locks(const struct printer *p, const struct view *v)
{
    if (p->json == NULL) {
        print_some_locks(p, v, true);
        if (!v->about->is_brief)
            print_some_locks(p, v, false);
        return;
    }
    print_member(p, "locks", json_array());
    for (unsigned i = 0; i < v->process->lock_count; i++)
        print_lock(p, v, v->process->locks[i], false);
}

/* --- Threads ---------------------------------------------------------------------------------- */

static void print_waiting(const struct printer *p, const void *record, const void *context)
{
    const struct fw_stat_thread_ *t = record;
    const struct view *v = context;
    const struct fw_stat_wait_ *w = &t->wait;
    uint64_t ns = v->reading->at > w->began ? v->reading->at - w->began : 0;
    char word[STAT_WORD], time[STAT_TIME];

    if (p->json != NULL) {
        print_member(p, "thread", stat_thread_json(v->process, (uint32_t)t->key));
        print_member(p, "object", stat_lock_json(v->locations, w->key));
        print_member(p, "ns", json_integer((json_int_t)ns));
        print_member(p, "in", stat_call_json(v->locations, w->waiter));
        print_member(p, "holder",
                     w->holder != 0 ? stat_thread_json(v->process, w->holder) : json_null());
        print_member(p, "taken_in", stat_call_json(v->locations, w->holder_site));
        return;
    }
    print_words(p, "  %s has waited", stat_thread_at(v->process, (uint32_t)t->key, word));
    print_words(p, " %s for %s", stat_time(ns, time), stat_lock_at(v->locations, w->key, word));
    print_words(p, ", in %s", stat_call_at(v->locations, w->waiter, word));
    if (w->holder != 0)
        print_words(p, "; %s had it", stat_thread_at(v->process, w->holder, word));
    if (w->holder != 0 && w->holder_site != 0)
        print_words(p, ", taken in %s", stat_call_at(v->locations, w->holder_site, word));
    print_words(p, "\n");
}

static const struct print_record waiting_record = {.more = print_waiting};

static void print_all_waiting(const struct printer *p, const struct view *v)
{
    const struct fw_stat_file_ *f = v->process->file;
    unsigned count = 0;

    if (p->json != NULL)
        print_member(p, "waiting", json_array());
    else if (!v->about->shows_waiting)
        return;
    for (unsigned i = 1; i < FW_STAT_THREADS; i++) {
        if (!stat_waits(v->process, &f->threads[i], v->about->is_over))
            continue;
        if (count++ == 0)
            print_words(p, "\n");
        print_append(p, "waiting", &waiting_record, &f->threads[i], v);
    }
}

static json_t *threads_json(const struct stat_process *process)
{
    json_t *threads = json_array();

    for (unsigned i = 1; i < FW_STAT_THREADS; i++) {
        const struct fw_stat_thread_ *t = &process->file->threads[i];
        json_t *one;
        if (t->key == 0)
            continue;
        one = stat_thread_json(process, (uint32_t)t->key);
        json_object_set_new(one, "waits", json_integer((json_int_t)t->waits));
        json_object_set_new(one, "ns", json_integer((json_int_t)t->ns));
        json_array_append_new(threads, one);
    }
    return threads;
}

/* --- All -------------------------------------------------------------------------------------- */

static void print_process(const struct printer *p, const void *record, const void *context)
{
    struct view v = *(const struct view *)context;
    char time[STAT_TIME], name[FW_STAT_NAME];

    v.process = record;
    v.locations = stat_locations(v.process);
    snprintf(name, sizeof name, "%s", v.process->file->head.program);
    visible(name);
    print_member(p, "process", json_integer((json_int_t)v.process->file->head.process));
    print_member(p, "program", json_string(name));
    print_member(p, "waits", json_integer((json_int_t)v.process->waits));
    print_member(p, "ns", json_integer((json_int_t)v.process->ns));
    print_words(p, "\n%s, process %" PRIu32 ": %" PRIu64 " wait%s for locks, %s in all threads\n",
                name, v.process->file->head.process, v.process->waits,
                print_plural(v.process->waits), stat_time(v.process->ns, time));
    print_locks(p, &v);
    if (p->json != NULL)
        print_member(p, "threads", threads_json(v.process));
    print_all_waiting(p, &v);
    locations_close(v.locations);
}

static const struct print_record process_record = {.more = print_process};

static void print_processes(const struct printer *p, const struct stat_reading *r,
                            const struct stat_about *about)
{
    struct view v = {.reading = r, .about = about};
    unsigned shown = p->json == NULL && r->count > PROCESSES ? PROCESSES : r->count;

    if (p->json != NULL)
        print_member(p, "processes", json_array());
    for (unsigned i = 0; i < shown; i++)
        if (!about->is_brief || p->json != NULL || r->processes[i].lock_count != 0)
            print_append(p, "processes", &process_record, &r->processes[i], &v);
    if (shown < r->count)
        print_words(p, "\nand %u more processes that waited\n", r->count - shown);
}

/* The words of the command line: whatever bytes. */
static json_t *words_json(char *const *words)
{
    json_t *all = json_array();

    for (; *words != NULL; words++) {
        char *copy = strdup(*words);
        json_array_append_new(all, copy != NULL ? json_string(visible(copy)) : json_null());
        free(copy);
    }
    return all;
}

static void print_members(const struct printer *p, const struct stat_reading *r,
                          const struct stat_about *about)
{
    struct machine m;

    machine_describe(&m);
    print_machine(p, &m);
    print_member(p, "benchmark", json_string("stat"));
    print_member(p, "command", words_json(about->words));
    print_member(p, "seconds", json_real((double)(r->at - about->began) / 1e9));
    print_member(p, "is_over", json_boolean(about->is_over));
    print_member(p, "status", about->is_over ? json_integer(about->status) : json_null());
    print_member(p, "quiet_processes", json_integer(r->quiet));
    print_member(p, "still_running", json_integer(about->going_on));
}

void stat_print(const struct printer *p, const struct stat_reading *r,
                const struct stat_about *about)
{
    char time[STAT_TIME];

    if (p->json != NULL)
        print_members(p, r, about);
    print_words(p, "\nfurwock run: waits within %s", stat_time(r->at - about->began, time));
    if (r->count == 0)
        print_words(p, ": none, in %u process%s", r->quiet, r->quiet == 1 ? "" : "es");
    print_words(p, "\n");
    print_processes(p, r, about);
    if (about->going_on != 0)
        print_words(p, "\n%u process%s on, and %s counted no longer\n", about->going_on,
                    about->going_on == 1 ? " goes" : "es go", about->going_on == 1 ? "is" : "are");
}
