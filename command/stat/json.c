/* SPDX-License-Identifier: MIT */
/* The figures of furwock run --stat as JSON: all of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command/print/visible.h"
#include "location.h"
#include "measure/machine.h"
#include "show.h"

enum { WORD = 400 };

static json_t *number(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *text_or_null(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

/* A word of the command line: whatever bytes. */
static json_t *word_json(const char *word)
{
    char *copy = strdup(word);
    json_t *json = copy != NULL ? json_string(visible(copy)) : json_null();

    free(copy);
    return json;
}

static json_t *machine_json(void)
{
    struct machine m;

    machine_describe(&m);
    return json_pack("{s:s s:i s:s s:s s:b s:s}", "cpu", m.cpu, "cpus", (int)m.cpus, "kernel",
                     m.kernel, "libc", m.libc, "virtual", m.virtual_, "date", m.date);
}

/* "0x7f12..." */
static json_t *address_json(uint64_t address)
{
    return json_sprintf("0x%" PRIx64, address);
}

static json_t *location_json(const struct location *location, uint64_t address)
{
    char text[WORD];

    locations_write(location, address, text, sizeof text);
    return json_pack("{s:o s:s s:o s:o s:I s:o s:I}", "address", address_json(address), "text",
                     visible(text), "symbol", text_or_null(location->symbol), "file",
                     text_or_null(location->file), "line", (json_int_t)location->line, "module",
                     text_or_null(location->module), "offset", (json_int_t)location->offset);
}

static json_t *call_json(struct locations *locations, uint64_t address)
{
    struct location location;

    if (address == 0)
        return json_null();
    location = locations_call(locations, address);
    return location_json(&location, address);
}

static json_t *data_json(struct locations *locations, uint64_t key)
{
    struct location location = {.symbol = "all others"};

    if (key != 0)
        location = locations_data(locations, stat_object(key));
    return location_json(&location, stat_object(key));
}

static json_t *thread_json(const struct stat_process *p, uint32_t thread)
{
    char name[sizeof p->file->threads->name];

    snprintf(name, sizeof name, "%s", stat_thread_name(p, thread));
    return json_pack("{s:I s:s}", "thread", (json_int_t)thread, "name", visible(name));
}

/* --- One lock --------------------------------------------------------------------------------- */

static json_t *chain_json(const struct fw_stat_chain_ *c, struct locations *locations)
{
    json_t *calls = json_array();

    for (unsigned i = 1; c != NULL && i < c->depth; i++)
        json_array_append_new(calls, call_json(locations, c->frames[i]));
    return calls;
}

static json_t *places_json(const struct stat_process *p, unsigned lock, struct locations *locations)
{
    static uint16_t found[FW_STAT_PLACES];
    unsigned n = stat_places(p, lock, found, FW_STAT_PLACES);
    json_t *all = json_array();

    for (unsigned i = 0; i < n; i++) {
        const struct fw_stat_place_ *at = &p->file->places[found[i]];
        json_array_append_new(
            all, json_pack("{s:o s:o s:o s:o s:o}", "waiter", call_json(locations, at->waiter),
                           "holder", call_json(locations, at->holder), "waits", number(at->waits),
                           "ns", number(at->ns), "callers",
                           chain_json(stat_chain(p, lock, at->waiter), locations)));
    }
    return all;
}

static json_t *holders_json(const struct stat_process *p, unsigned lock)
{
    static uint16_t found[FW_STAT_HOLDERS];
    unsigned n = stat_holders(p, lock, found, FW_STAT_HOLDERS);
    json_t *all = json_array();

    for (unsigned i = 0; i < n; i++) {
        const struct fw_stat_holder_ *h = &p->file->holders[found[i]];
        json_t *one = thread_json(p, (uint32_t)h->key);
        json_object_set_new(one, "waits", number(h->waits));
        json_object_set_new(one, "ns", number(h->ns));
        json_array_append_new(all, one);
    }
    return all;
}

/* [[least ns, waits], ...] of the buckets that have any. */
static json_t *histogram_json(const struct fw_stat_lock_ *l)
{
    json_t *all = json_array();

    for (unsigned i = 0; i < FW_STAT_BUCKETS; i++)
        if (l->histogram[i] != 0)
            json_array_append_new(
                all, json_pack("[o,o]", number(fw_stat_least_(i)), number(l->histogram[i])));
    return all;
}

static json_t *lock_json(const struct stat_process *p, unsigned lock, struct locations *locations)
{
    const struct fw_stat_lock_ *l = &p->file->locks[lock];
    char kind[64];

    stat_kind(l, kind, sizeof kind);
    return json_pack("{s:o s:s s:b s:o s:o s:o s:o s:o s:o s:o s:o s:o}", "object",
                     data_json(locations, l->key), "kind", kind, "is_lock", stat_is_lock(l->key),
                     "waits", number(l->waits), "in_vain", number(l->failed), "ns", number(l->ns),
                     "p50_ns", number(stat_percentile(l, 0.5)), "p99_ns",
                     number(stat_percentile(l, 0.99)), "longest_ns", number(l->longest),
                     "histogram_ns", histogram_json(l), "places", places_json(p, lock, locations),
                     "holders", holders_json(p, lock));
}

/* --- All -------------------------------------------------------------------------------------- */

static json_t *waiting_json(const struct stat_process *p, const struct fw_stat_thread_ *t,
                            uint64_t now, struct locations *locations)
{
    const struct fw_stat_wait_ *w = &t->wait;

    return json_pack("{s:o s:o s:o s:o s:o s:o}", "thread", thread_json(p, (uint32_t)t->key),
                     "object", data_json(locations, w->key), "ns",
                     number(now > w->began ? now - w->began : 0), "in",
                     call_json(locations, w->waiter), "holder",
                     w->holder != 0 ? thread_json(p, w->holder) : json_null(), "taken_in",
                     call_json(locations, w->holder_site));
}

static json_t *process_json(const struct stat_process *p, const struct stat_reading *r,
                            const struct stat_about *about)
{
    struct locations *locations = locations_open(p->maps);
    json_t *locks = json_array(), *threads = json_array(), *waiting = json_array();
    char name[FW_STAT_NAME];

    snprintf(name, sizeof name, "%s", p->file->head.program);
    for (unsigned i = 0; i < p->lock_count; i++)
        json_array_append_new(locks, lock_json(p, p->locks[i], locations));
    for (unsigned i = 1; i < FW_STAT_THREADS; i++) {
        const struct fw_stat_thread_ *t = &p->file->threads[i];
        json_t *one;
        if (t->key == 0)
            continue;
        one = thread_json(p, (uint32_t)t->key);
        json_object_set_new(one, "waits", number(t->waits));
        json_object_set_new(one, "ns", number(t->ns));
        json_array_append_new(threads, one);
        if (stat_waits(p, t, about->is_over))
            json_array_append_new(waiting, waiting_json(p, t, r->at, locations));
    }
    locations_close(locations);
    return json_pack("{s:I s:s s:o s:o s:o s:o s:o}", "process", (json_int_t)p->file->head.process,
                     "program", visible(name), "waits", number(p->waits), "ns", number(p->ns),
                     "locks", locks, "threads", threads, "waiting", waiting);
}

json_t *stat_json(const struct stat_reading *r, const struct stat_about *about)
{
    json_t *processes = json_array(), *words = json_array();

    for (char *const *word = about->words; *word != NULL; word++)
        json_array_append_new(words, word_json(*word));
    for (unsigned i = 0; i < r->count; i++)
        json_array_append_new(processes, process_json(&r->processes[i], r, about));
    return json_pack("{s:s s:s s:o s:o s:f s:b s:o s:i s:i s:o}", "format", "furwock-stat-1",
                     "benchmark", "stat", "machine", machine_json(), "command", words, "seconds",
                     (double)(r->at - about->began) / 1e9, "is_over", about->is_over, "status",
                     about->is_over ? json_integer(about->status) : json_null(), "quiet_processes",
                     (int)r->quiet, "going_on", (int)about->going_on, "processes", processes);
}
