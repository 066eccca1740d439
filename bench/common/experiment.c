/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "measure/clock.h"

struct bench_point *bench_add_point(struct bench *b, double pieces, json_t *parameters)
{
    struct bench_point *more = realloc(b->points, (b->n + 1) * sizeof *more);

    if (more == NULL || parameters == NULL)
        bench_die("no memory");
    b->points = more;
    more[b->n] =
        (struct bench_point){.parameters = parameters, .pieces = pieces, .baseline = SIZE_MAX};
    return &more[b->n++];
}

void bench_add_entry(struct bench_point *p, const adapter_head *lock, const char *baseline)
{
    struct bench_entry *more = realloc(p->entries, (p->n + 1) * sizeof *more);

    if (more == NULL)
        bench_die("no memory");
    p->entries = more;
    more[p->n] = (struct bench_entry){.lock = lock, .system_calls = NAN, .fences = NAN};
    if (strcmp(lock->name, baseline) == 0)
        p->baseline = p->n;
    p->n++;
}

void bench_note(struct bench *b, const char *format, ...)
{
    va_list list;

    if (b->n_notes == BENCH_NOTES_MAX)
        return;
    va_start(list, format);
    vsnprintf(b->notes[b->n_notes], sizeof b->notes[0], format, list);
    va_end(list);
    bench_warn("%s", b->notes[b->n_notes++]);
}

static bool prepare(struct bench *b)
{
    for (size_t i = 0; i < b->n; i++)
        for (size_t k = 0; k < b->points[i].n; k++) {
            struct bench_entry *e = &b->points[i].entries[k];
            e->runs = calloc(b->repetitions + 1, sizeof *e->runs);
            if (e->runs == NULL) {
                bench_warn("no memory");
                return false;
            }
        }
    return true;
}

/* A point that the machine cannot give room to: it is left out, and that is said. */
static void drop_point(struct bench *b, size_t i)
{
    bench_note(b, "left out: %s", b->points[i].title);
    bench_drop_point(b, i);
}

static void show(const struct bench *b, const struct bench_point *p, const char *name)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s %u of %u: %s, %s ", bench_counts_calls ? "count" : "repetition",
                b->finished + !bench_counts_calls, b->repetitions, p->title, name);
}

/* Every lock once at one point; false where it does not fit the machine. */
static bool run_point(struct bench *b, struct bench_point *p, unsigned repetition, bool keep)
{
    struct bench_run unused;

    for (size_t k = 0; k < p->n && !bench_interrupted; k++) {
        struct bench_entry *e = &p->entries[(k + b->done + repetition) % p->n];
        show(b, p, e->lock->name);
        if (!b->run(p, e, keep ? &e->runs[repetition] : &unused))
            return false;
    }
    return true;
}

static bool run_all(struct bench *b, unsigned repetition, bool keep)
{
    for (size_t i = 0; i < b->n && !bench_interrupted;) {
        if (run_point(b, &b->points[i], repetition, keep))
            i++;
        else if (repetition == 0 && !bench_interrupted)
            drop_point(b, i);
        else
            return false; /* it fitted before: give up, and keep what there is */
    }
    return !bench_interrupted;
}

/* Once more for the system calls, where the kernel counts them. */
static void count_calls(struct bench *b)
{
    if (tally_open(&b->no_system_calls)) {
        run_all(b, 0, false);
        tally_close();
    }
}

static double since(uint64_t began)
{
    return (double)(clock_ns() - began) / 1e9;
}

static void conduct(struct bench *b)
{
    uint64_t began = clock_ns();

    while (b->finished < b->repetitions && b->n > 0) {
        if (b->budget > 0 && b->done + b->finished >= STATS_INTERVAL_LEAST &&
            b->spent + since(began) > b->budget)
            break;
        if (!run_all(b, b->finished, true))
            break;
        b->finished++;
        b->seconds = since(began);
    }
    if (!bench_interrupted && b->finished > 0)
        count_calls(b);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

void bench_release(struct bench *b)
{
    for (size_t i = 0; i < b->n; i++) {
        json_decref(b->points[i].parameters);
        for (size_t k = 0; k < b->points[i].n; k++)
            free(b->points[i].entries[k].runs);
        free(b->points[i].entries);
    }
    free(b->points);
    json_decref(b->settings);
    json_decref(b->earlier);
    b->points = NULL;
    b->settings = b->earlier = NULL;
    b->n = 0;
}

static void set_up(struct bench *b, const struct bench_options *o)
{
    b->budget = o->budget;
    if (o->repetitions > 0)
        b->repetitions = o->repetitions;
    b->no_system_calls = "not asked for";
    bench_fit(b);
    if (o->resume)
        bench_resume(b, o->json);
    b->repetitions -= b->done < b->repetitions ? b->done : b->repetitions;
}

static int tell_end(const struct bench *b)
{
    if (bench_interrupted)
        bench_warn("interrupted after %u of %u repetitions", b->done + b->finished,
                   b->done + b->repetitions);
    else if (b->done + b->finished == 0)
        bench_warn("nothing was measured");
    else if (b->done > 0)
        bench_warn("%u repetitions more: %u in the file, of which the table shows the last",
                   b->finished, b->done + b->finished);
    return bench_interrupted || b->done + b->finished == 0;
}

/* What would be run; what is left out has been noted. */
static int tell_plan(struct bench *b)
{
    size_t runs = 0;
    double expected = bench_expected(b);

    for (size_t i = 0; i < b->n; i++) {
        runs += b->points[i].n;
        printf("%s: %zu\n", b->points[i].title, b->points[i].n);
    }
    printf("%zu points; %zu runs in a repetition, of which there are at most %u", b->n, runs,
           b->repetitions);
    if (expected > 0)
        printf(", and about %.1f s for each", expected);
    if (b->budget > 0)
        printf("; %.0f s for all", b->budget);
    putchar('\n');
    for (size_t i = 0; i < b->n_notes; i++)
        printf("%s\n", b->notes[i]);
    bench_release(b);
    return 0;
}

int bench_whole(struct bench *b, const struct bench_options *o)
{
    int json = o->json != NULL && !o->dry_run ? bench_open_json(o->json) : -1;
    int status = 0;

    set_up(b, o);
    if (o->dry_run)
        return tell_plan(b);
    if (prepare(b))
        conduct(b);
    if (b->finished > 0)
        bench_print(b, stdout);
    if (json >= 0 && bench_write_json(bench_joined(b, bench_json(b)), json) != 0) {
        bench_warn("cannot write %s: %s", o->json, strerror(errno));
        status = 1;
    }
    status |= tell_end(b);
    bench_release(b);
    return status;
}
