/* SPDX-License-Identifier: MIT */
/* The figures of furwock run --stat as text. */
#include <inttypes.h>
#include <string.h>

#include "command/print/visible.h"
#include "location.h"
#include "show.h"

/* So much is shown, of what there is; JSON has all. */
enum { PROCESSES = 8, LOCKS = 12, LOCKS_BRIEF = 5, PLACES = 4, HOLDERS = 4, CALLERS = 4 };

/* Widths of columns. */
enum { NAME = 30, KIND = 18, WORD = 160 };

/* "4.31 s": three digits, in the unit that fits. */
static const char *duration(uint64_t ns, char text[static 24])
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double value = (double)ns;
    unsigned unit = 0;

    while (value >= 999.5 && unit < 3) {
        value /= 1000;
        unit++;
    }
    snprintf(text, 24, "%.*f %s",
             value >= 99.95 || unit == 0 ? 0
             : value >= 9.995            ? 1
                                         : 2,
             value, units[unit]);
    return text;
}

static const char *call_at(struct locations *locations, uint64_t address, char text[static WORD])
{
    struct location location = locations_call(locations, address);

    locations_write(&location, address, text, WORD);
    return text;
}

static const char *lock_at(struct locations *locations, uint64_t key, char text[static WORD])
{
    struct location location = locations_data(locations, stat_object(key));

    if (key == 0)
        return strcpy(text, "all others");
    locations_write(&location, stat_object(key), text, WORD);
    return text;
}

static const char *thread_word(const struct stat_process *p, uint32_t thread,
                               char text[static WORD])
{
    char name[sizeof p->file->threads->name];

    snprintf(name, sizeof name, "%s", stat_thread_name(p, thread));
    if (name[0] != '\0')
        snprintf(text, WORD, "%" PRIu32 " \"%s\"", thread, visible(name));
    else
        snprintf(text, WORD, "%" PRIu32, thread);
    return text;
}

static unsigned percent(uint64_t part, uint64_t whole)
{
    return whole != 0 ? (unsigned)((double)part / (double)whole * 100 + 0.5) : 0;
}

/* --- One lock --------------------------------------------------------------------------------- */

/* What the C library calls first is of no interest. */
static bool is_beginning(struct locations *locations, uint64_t address)
{
    static const char *const first[] = {"start_thread", "__libc_start_call_main",
                                        "__libc_start_main", "_start"};
    struct location location = locations_call(locations, address);

    for (unsigned i = 0; i < sizeof first / sizeof *first; i++)
        if (location.symbol != NULL && strncmp(location.symbol, first[i], strlen(first[i])) == 0)
            return true;
    return false;
}

/* "      called by f (x.c:1) < g < h" */
static void print_chain(const struct stat_process *p, unsigned lock, uint64_t waiter,
                        struct locations *locations, FILE *out)
{
    const struct fw_stat_chain_ *c = stat_chain(p, lock, waiter);
    char word[WORD];

    if (c == NULL || c->depth < 2 || is_beginning(locations, c->frames[1]))
        return;
    fputs("            called by", out);
    for (unsigned i = 1; i < c->depth && i <= CALLERS && !is_beginning(locations, c->frames[i]);
         i++)
        fprintf(out, "%s %s", i > 1 ? " <" : "", call_at(locations, c->frames[i], word));
    fputc('\n', out);
}

static void print_places(const struct stat_process *p, unsigned lock, unsigned most,
                         struct locations *locations, FILE *out)
{
    const struct fw_stat_lock_ *l = &p->file->locks[lock];
    uint16_t found[PLACES];
    unsigned n = stat_places(p, lock, found, most);
    char word[WORD];

    for (unsigned i = 0; i < n; i++) {
        const struct fw_stat_place_ *site = &p->file->places[found[i]];
        fprintf(out, "    %3u %%  in %s", percent(site->ns, l->ns),
                call_at(locations, site->waiter, word));
        if (site->holder != 0)
            fprintf(out, ", while taken in %s", call_at(locations, site->holder, word));
        fputc('\n', out);
        if (i == 0 || site->waiter != p->file->places[found[i - 1]].waiter)
            print_chain(p, lock, site->waiter, locations, out);
    }
}

static void print_holders(const struct stat_process *p, unsigned lock, FILE *out)
{
    uint16_t found[HOLDERS];
    unsigned n = stat_holders(p, lock, found, HOLDERS);
    char word[WORD];

    for (unsigned i = 0; i < n; i++) {
        const struct fw_stat_holder_ *h = &p->file->holders[found[i]];
        fprintf(out, "%s %s, %u %%", i == 0 ? "           held by" : ";",
                thread_word(p, (uint32_t)h->key, word), percent(h->ns, p->file->locks[lock].ns));
    }
    if (n != 0)
        fputc('\n', out);
}

static void print_lock(const struct stat_process *p, unsigned lock, bool is_brief,
                       struct locations *locations, FILE *out)
{
    const struct fw_stat_lock_ *l = &p->file->locks[lock];
    char word[WORD], kind[64], total[24], half[24], most[24], longest[24];

    stat_kind(l, kind, sizeof kind);
    fprintf(out, "  %-*s %-*s %9" PRIu64 " %9s %9s %9s %9s\n", NAME,
            lock_at(locations, l->key, word), KIND, kind, l->waits, duration(l->ns, total),
            duration(stat_percentile(l, 0.5), half), duration(stat_percentile(l, 0.99), most),
            duration(l->longest, longest));
    if (l->failed != 0)
        fprintf(out, "           %" PRIu64 " of them timed out or failed\n", l->failed);
    print_places(p, lock, is_brief ? 1 : PLACES, locations, out);
    if (!is_brief)
        print_holders(p, lock, out);
}

/* Those for which `is_lock` holds, or the others. */
static void print_locks(const struct stat_process *p, bool is_lock, bool is_brief,
                        struct locations *locations, FILE *out)
{
    unsigned shown = 0, left = 0;

    for (unsigned i = 0; i < p->lock_count; i++) {
        unsigned lock = p->locks[i];
        if (stat_is_lock(p->file->locks[lock].key) != is_lock)
            continue;
        if (shown == (is_brief ? LOCKS_BRIEF : LOCKS)) {
            left++;
            continue;
        }
        if (shown++ == 0)
            fprintf(out, "\n  %-*s %-*s %9s %9s %9s %9s %9s\n", NAME,
                    is_lock ? "lock" : "condition/event", KIND, "kind", "waits", "waited", "p50",
                    "p99", "longest");
        print_lock(p, lock, is_brief, locations, out);
    }
    if (left != 0)
        fprintf(out, "  and %u more\n", left);
}

/* --- Who waits now ---------------------------------------------------------------------------- */

static void print_waiting(const struct stat_process *p, const struct fw_stat_thread_ *t,
                          uint64_t now, struct locations *locations, FILE *out)
{
    const struct fw_stat_wait_ *w = &t->wait;
    char word[WORD], time[24];

    fprintf(out, "  %s has waited", thread_word(p, (uint32_t)t->key, word));
    fprintf(out, " %s for %s", duration(now > w->began ? now - w->began : 0, time),
            lock_at(locations, w->key, word));
    fprintf(out, ", in %s", call_at(locations, w->waiter, word));
    if (w->holder != 0)
        fprintf(out, "; %s had it", thread_word(p, w->holder, word));
    if (w->holder != 0 && w->holder_site != 0)
        fprintf(out, ", taken in %s", call_at(locations, w->holder_site, word));
    fputc('\n', out);
}

static void print_all_waiting(const struct stat_process *p, const struct stat_reading *r,
                              const struct stat_about *about, struct locations *locations,
                              FILE *out)
{
    unsigned count = 0;

    for (unsigned i = 1; i < FW_STAT_THREADS; i++) {
        if (!stat_waits(p, &p->file->threads[i], about->is_over))
            continue;
        if (count++ == 0)
            fputc('\n', out);
        print_waiting(p, &p->file->threads[i], r->at, locations, out);
    }
}

/* --- All -------------------------------------------------------------------------------------- */

static void print_process(const struct stat_process *p, const struct stat_reading *r,
                          const struct stat_about *about, FILE *out)
{
    struct locations *locations = locations_open(p->maps);
    char time[24], name[FW_STAT_NAME];

    snprintf(name, sizeof name, "%s", p->file->head.program);
    fprintf(out, "\n%s, process %" PRIu32 ": %" PRIu64 " wait%s for locks, %s in all threads\n",
            visible(name), p->file->head.process, p->waits, p->waits == 1 ? "" : "s",
            duration(p->ns, time));
    print_locks(p, true, about->is_brief, locations, out);
    if (!about->is_brief)
        print_locks(p, false, false, locations, out);
    if (about->shows_waiting)
        print_all_waiting(p, r, about, locations, out);
    locations_close(locations);
}

void stat_print(const struct stat_reading *r, const struct stat_about *about, FILE *out)
{
    char time[24];
    unsigned shown = r->count < PROCESSES ? r->count : PROCESSES;

    fprintf(out, "\nfurwock run: waits within %s", duration(r->at - about->began, time));
    if (r->count == 0)
        fprintf(out, ": none, in %u process%s", r->quiet, r->quiet == 1 ? "" : "es");
    fputc('\n', out);
    for (unsigned i = 0; i < shown; i++)
        if (!about->is_brief || r->processes[i].lock_count != 0)
            print_process(&r->processes[i], r, about, out);
    if (shown < r->count)
        fprintf(out, "\nand %u more processes that waited\n", r->count - shown);
    if (about->going_on != 0)
        fprintf(out, "\n%u process%s on, and %s counted no longer\n", about->going_on,
                about->going_on == 1 ? " goes" : "es go", about->going_on == 1 ? "is" : "are");
}
