/* SPDX-License-Identifier: MIT */
/* The findings of furwock run --check, as text and as JSON.  Contract: check.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "command/print/visible.h"
#include "command/stat/location.h"
#include "command/stat/show.h"

/* At most this many calls of a chain are shown in text; JSON has all. */
enum { CALLERS = 6 };

enum { NAMES = FW_CHECK_CALLS * (FW_CHECK_FRAMES + 3) };

/* What happened, and what is said of each call of it. */
static const struct {
    const char *name, *title, *did;
} kinds[] = {
    [FW_CHECK_ORDER] = {"order", "lock order: these threads can wait for each other forever",
                        "asked for"},
    [FW_CHECK_RELOCK] = {"relock", "a thread waits for a lock that it holds itself", "locked"},
    [FW_CHECK_DESTROYED] = {"destroyed", "a lock is destroyed while it is held", "destroyed"},
    [FW_CHECK_REUSED] = {"reused", "a lock is initialised while it is held", "initialised"},
    [FW_CHECK_STRANGER] = {"stranger", "a lock is unlocked by a thread that does not hold it",
                           "unlocked"},
    [FW_CHECK_FREE] = {"free", "a lock is unlocked that nobody holds", "unlocked"},
    [FW_CHECK_TWO] = {"two-mutexes", "threads wait on a condition variable with two mutexes",
                      "waited on"},
    [FW_CHECK_UNHELD] = {"unheld", "a wait on a condition variable without holding the mutex",
                         "waited with"},
    [FW_CHECK_EXIT] = {"thread-exit", "a thread has ended, and had not released a lock", "held"},
    [FW_CHECK_FORK] = {"fork", "a thread forks while it holds a lock", "held"},
    [FW_CHECK_LOST] = {"lost", "a forked child waits for a lock that a thread of its parent held",
                       "asked for"},
    [FW_CHECK_BLOCKED] = {"blocked", "a thread sleeps, or waits for I/O, while it holds a lock",
                          "held"},
    [FW_CHECK_INVERSION] = {"inversion",
                            "a real-time thread waits for one of lower priority, and the lock has "
                            "no protocol against that",
                            "asked for"},
};

_Static_assert(sizeof kinds / sizeof *kinds == FW_CHECK_KINDS, "a text for each");

const char *check_kind_name(unsigned kind)
{
    return kind < FW_CHECK_KINDS ? kinds[kind].name : NULL;
}

struct view {
    const struct stat_process *process;
    struct locations *locations;
    struct suppressions *suppressions;
    unsigned shown, hidden; /* so far, of all processes */
};

/* --- Names, for suppressions ------------------------------------------------------------------ */

struct names {
    char *all[NAMES];
    unsigned count;
};

static void add_name(struct names *n, const struct location *location)
{
    char *copy = location->symbol != NULL && n->count < NAMES ? strdup(location->symbol) : NULL;

    if (copy == NULL)
        return;
    for (char *c = copy; *c != '\0'; c++) /* of C++: a pattern is one word */
        if (*c == ' ')
            *c = '?';
    n->all[n->count++] = copy;
}

static void add_call(struct names *n, struct locations *l, uint64_t address)
{
    struct location location = locations_call(l, address);

    if (address != 0)
        add_name(n, &location);
}

static void add_lock(struct names *n, struct locations *l, uint64_t object)
{
    struct location location = locations_data(l, object);

    if (object != 0)
        add_name(n, &location);
}

static void gather(struct names *n, struct locations *l, const struct fw_check_finding_ *f)
{
    n->count = 0;
    for (unsigned i = 0; i < f->calls; i++) {
        const struct fw_check_call_ *c = &f->call[i];

        add_lock(n, l, c->lock.object);
        add_lock(n, l, c->held.object);
        add_call(n, l, c->held_site);
        for (unsigned k = 0; k < c->depth; k++)
            add_call(n, l, c->frames[k]);
    }
}

static void drop(struct names *n)
{
    while (n->count != 0)
        free(n->all[--n->count]);
}

/* --- Text ------------------------------------------------------------------------------------- */

/* "cache_lock", or "[heap] 0x55d0, made in new_cache (x.c:12)": initialised, or first locked. */
static void write_lock(const struct printer *p, struct view *v, const struct fw_check_lock_ *lock)
{
    struct location location = locations_data(v->locations, lock->object);
    char word[STAT_WORD];

    locations_write(&location, lock->object, word, sizeof word);
    print_words(p, "%s", word);
    if (location.symbol == NULL && lock->made_at != 0)
        print_words(p, ", made in %s", stat_call_at(v->locations, lock->made_at, word));
}

static void write_chain(const struct printer *p, struct view *v, const struct fw_check_call_ *c)
{
    char word[STAT_WORD];

    for (unsigned i = 0; i < c->depth && i < CALLERS; i++)
        print_words(p, "%s%s", i == 0 ? "      in " : " < ",
                    stat_call_at(v->locations, c->frames[i], word));
    if (c->depth != 0)
        print_words(p, "\n");
}

static void write_call(const struct printer *p, struct view *v, const struct fw_check_finding_ *f,
                       const struct fw_check_call_ *c)
{
    bool is_other = c->held.object != 0 && c->held.object != c->lock.object;
    char word[STAT_WORD];

    print_words(p, "   thread %s %s ", stat_thread_at(v->process, c->thread, word),
                kinds[f->kind].did);
    write_lock(p, v, &c->lock);
    if ((c->flags & FW_CHECK_READS) != 0)
        print_words(p, " to read");
    if (f->ns != 0)
        print_words(p, " for %s", stat_time(f->ns, word));
    print_words(p, "\n");
    write_chain(p, v, c);
    if (c->held.object == 0 && c->owner == 0)
        return;
    if (c->owner != 0)
        print_words(p, "      while thread %s held it", stat_thread_at(v->process, c->owner, word));
    else if (is_other && f->kind == FW_CHECK_TWO) {
        print_words(p, "      while others waited with the mutex ");
        write_lock(p, v, &c->held);
    } else if (is_other) {
        print_words(p, "      while it held ");
        write_lock(p, v, &c->held);
    }
    if (c->held_site != 0)
        print_words(p, "%staken in %s", is_other || c->owner != 0 ? ", " : "      which was ",
                    stat_call_at(v->locations, c->held_site, word));
    print_words(p, "\n");
}

/* Of a C++ library, through which all of a program's calls come. */
static bool is_wrapper(const char *symbol)
{
    static const char *const first[] = {"__gthread", "std::", "void std::", "boost::", "__gnu"};

    for (unsigned i = 0; i < sizeof first / sizeof *first; i++)
        if (strncmp(symbol, first[i], strlen(first[i])) == 0)
            return true;
    return false;
}

/* The function that made the call, or had the library make it. */
static struct location caller(struct view *v, const struct fw_check_call_ *c)
{
    struct location first = locations_call(v->locations, c->held_site), location;

    for (unsigned i = 0; i < c->depth; i++) {
        location = locations_call(v->locations, c->frames[i]);
        if (i == 0)
            first = location;
        if (location.symbol != NULL && !is_wrapper(location.symbol))
            return location;
    }
    return first;
}

/* The functions that made the calls are what tells it best from others. */
static void write_suppression(const struct printer *p, struct view *v,
                              const struct fw_check_finding_ *f)
{
    struct location location;

    print_words(p, "   to suppress: %s", kinds[f->kind].name);
    for (unsigned i = 0; i < f->calls; i++) {
        location = caller(v, &f->call[i]);
        if (location.symbol == NULL)
            continue;
        print_words(p, " ");
        for (const char *c = location.symbol; *c != '\0'; c++)
            print_words(p, "%c", *c == ' ' ? '?' : *c);
    }
    print_words(p, "\n");
}

static void write_text(const struct printer *p, struct view *v, const struct fw_check_finding_ *f)
{
    char name[FW_STAT_NAME];

    snprintf(name, sizeof name, "%s", v->process->file->head.program);
    print_words(p, "\n%u. %s\n   in %s, process %" PRIu32 ", %" PRIu64 " time%s\n", v->shown,
                kinds[f->kind].title, visible(name), v->process->file->head.process, f->times,
                print_plural(f->times));
    for (unsigned i = 0; i < f->calls; i++)
        write_call(p, v, f, &f->call[i]);
    write_suppression(p, v, f);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *lock_json(struct view *v, const struct fw_check_lock_ *lock)
{
    json_t *one;

    if (lock->object == 0)
        return json_null();
    one = stat_lock_json(v->locations, lock->object);
    json_object_set_new(one, "made_at", stat_call_json(v->locations, lock->made_at));
    return one;
}

static json_t *call_json(struct view *v, const struct fw_check_call_ *c)
{
    json_t *frames = json_array();

    for (unsigned i = 0; i < c->depth; i++)
        json_array_append_new(frames, stat_call_json(v->locations, c->frames[i]));
    return json_pack(
        "{s:o s:o s:b s:o s:b s:o s:o s:o}", "thread", stat_thread_json(v->process, c->thread),
        "lock", lock_json(v, &c->lock), "reads", (c->flags & FW_CHECK_READS) != 0, "held",
        lock_json(v, &c->held), "held_to_read", (c->flags & FW_CHECK_HELD_READS) != 0, "held_since",
        stat_call_json(v->locations, c->held_site), "owner",
        c->owner != 0 ? stat_thread_json(v->process, c->owner) : json_null(), "calls", frames);
}

static json_t *finding_json(struct view *v, const struct fw_check_finding_ *f)
{
    json_t *calls = json_array();

    for (unsigned i = 0; i < f->calls; i++)
        json_array_append_new(calls, call_json(v, &f->call[i]));
    return json_pack("{s:s s:I s:I s:I s:o}", "kind", kinds[f->kind].name, "process",
                     (json_int_t)v->process->file->head.process, "times", (json_int_t)f->times,
                     "ns", (json_int_t)f->ns, "by", calls);
}

/* --- All -------------------------------------------------------------------------------------- */

static void see(const struct printer *p, json_t *all, struct view *v,
                const struct fw_check_finding_ *f)
{
    struct names names;
    bool is_hidden;

    gather(&names, v->locations, f);
    is_hidden = suppressions_cover(v->suppressions, kinds[f->kind].name, names.all, names.count);
    drop(&names);
    if (is_hidden) {
        v->hidden++;
        return;
    }
    v->shown++;
    if (p->json != NULL)
        json_array_append_new(all, finding_json(v, f));
    else
        write_text(p, v, f);
}

/* What could not be checked is said, or a clean run would promise too much. */
static void write_limits(const struct printer *p, const struct fw_check_ *c)
{
    const struct {
        uint64_t count;
        const char *what;
    } all[] = {{c->lost_nodes, "locks that found no entry"},
               {c->lost_edges, "orders that found no entry"},
               {c->lost_locks, "locks held beyond the depth that is looked at"},
               {c->lost_threads, "threads that found no record"},
               {c->unseen, "findings that found no entry"}};

    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].count != 0)
            print_words(p, "not checked: %" PRIu64 " %s\n", all[i].count, all[i].what);
}

unsigned check_print(const struct printer *p, const struct stat_reading *r, struct suppressions *s)
{
    struct view v = {.suppressions = s};
    json_t *all = json_array();

    for (unsigned i = 0; i < r->count; i++) {
        const struct fw_check_ *c = &r->processes[i].file->check;

        v.process = &r->processes[i];
        v.locations = stat_locations(v.process);
        for (unsigned k = 0; k < FW_CHECK_FINDINGS; k++)
            if (c->findings[k].is_ready)
                see(p, all, &v, &c->findings[k]);
        write_limits(p, c);
        locations_close(v.locations);
    }
    print_member(p, "findings", all);
    print_member(p, "suppressed", json_integer((json_int_t)v.hidden));
    print_words(p, "\nfurwock run: %u finding%s", v.shown, print_plural(v.shown));
    if (v.hidden != 0)
        print_words(p, ", and %u suppressed", v.hidden);
    print_words(p, "\n");
    return v.shown;
}
