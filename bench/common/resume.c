/* SPDX-License-Identifier: MIT */
/*
 * --resume: a result that was interrupted is gone on with.  Its repetitions and its time count; the
 * file has those of all sittings in the end.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

/* Were both measured at the same point? */
static bool is_same_point(const json_t *parameters, const json_t *cell)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)parameters, key,
                        value) if (!json_equal(value, json_object_get(cell, key))) return false;
    return true;
}

static json_t *find(const json_t *cells, const char *lock, const json_t *parameters)
{
    json_t *cell;
    size_t i;

    json_array_foreach(cells, i, cell) if (strcmp(text_of(cell, "lock"), lock) == 0 &&
                                           is_same_point(parameters, cell)) return cell;
    return NULL;
}

/* Everything that is to be measured is in it, and nothing else. */
static void check_points(const struct bench *b, const char *path, const json_t *cells)
{
    size_t all = 0;

    for (size_t i = 0; i < b->n; i++)
        for (size_t k = 0; k < b->points[i].n; k++, all++) {
            const char *lock = b->points[i].entries[k].lock->name;
            if (find(cells, lock, b->points[i].parameters) == NULL)
                bench_die("--resume: %s has no %s at %s: other options, or another machine", path,
                          lock, b->points[i].title);
        }
    if (all != json_array_size(cells))
        bench_die("--resume: %s has more than these options ask for", path);
}

static void check_origin(const char *path, const struct bench *b, const json_t *root)
{
    json_t *machine = bench_machine_json(), *there = json_object_get(root, "machine");
    static const char *const same[] = {"cpu", "cpus", "kernel", "libc", "compiler"};

    if (strcmp(text_of(root, "benchmark"), b->name) != 0)
        bench_die("--resume: %s is no result of %s", path, b->name);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (!json_equal(json_object_get(machine, same[i]), json_object_get(there, same[i])))
            bench_die("--resume: %s is of another machine (%s)", path, same[i]);
    json_decref(machine);
}

void bench_resume(struct bench *b, const char *path)
{
    json_error_t error;
    struct stat file;
    json_t *root;

    if (path == NULL)
        bench_die("--resume goes with --json FILE");
    if (stat(path, &file) != 0 || file.st_size == 0)
        return; /* the first sitting */
    root = json_load_file(path, 0, &error);
    if (root == NULL)
        bench_die("--resume: %s: %s", path, error.text);
    check_origin(path, b, root);
    if (json_integer_value(json_object_get(root, "rounds")) <= 0) {
        json_decref(root);
        return;
    }
    check_points(b, path, json_object_get(root, "cells"));
    b->earlier = root;
    b->done = (unsigned)json_integer_value(json_object_get(root, "rounds"));
    b->spent = json_number_value(json_object_get(root, "seconds"));
    bench_warn("%u repetitions were made before", b->done);
}

/* --- Putting both together ------------------------------------------------------------------- */

static void shift_rounds(json_t *runs, unsigned by)
{
    json_t *run;
    size_t i;

    json_array_foreach(runs, i, run) json_object_set_new(
        run, "round", json_integer(json_integer_value(json_object_get(run, "round")) + (int)by));
}

static json_t *both(json_t *before, json_t *now)
{
    json_t *list = json_array();

    json_array_extend(list, before);
    json_array_extend(list, now);
    return list;
}

/* The seconds of all runs; how many there are. */
static unsigned seconds_of(const json_t *cell, double **values)
{
    const json_t *runs = json_object_get(cell, "runs");
    unsigned n = (unsigned)json_array_size(runs);

    *values = malloc((n + 1) * sizeof **values);
    if (*values == NULL)
        bench_die("no memory");
    for (unsigned i = 0; i < n; i++)
        (*values)[i] = json_number_value(json_object_get(json_array_get(runs, i), "seconds"));
    return n;
}

static void set_interval(json_t *summary, struct stats_ratio r)
{
    json_object_set_new(summary, "median", json_real(r.ratio));
    json_object_set_new(summary, "ci95", bench_interval_json(r.low, r.high));
}

/* `base`: with whom the ratio is; NULL: there is none. */
static void sum_up(json_t *cell, const json_t *base)
{
    json_t *summary = json_object_get(cell, "summary");
    double *mine, *others, *ones;
    unsigned n = seconds_of(cell, &mine);

    ones = malloc((n + 1) * sizeof *ones);
    if (ones == NULL)
        bench_die("no memory");
    for (unsigned i = 0; i < n; i++)
        ones[i] = 1;
    json_object_set_new(summary, "n", json_integer(n));
    set_interval(summary, stats_median_ratio(mine, ones, n));
    if (base != NULL) {
        if (seconds_of(base, &others) == n)
            set_interval(json_object_get(summary, "ratio"), stats_median_ratio(mine, others, n));
        free(others);
    }
    free(ones);
    free(mine);
}

/* Figures of all runs together cannot be added up: those of more repetitions stay. */
static void join(json_t *cell, json_t *before, unsigned done, unsigned finished)
{
    json_t *runs = json_object_get(cell, "runs"), *faults = json_object_get(cell, "failures");
    json_t *faults_before = json_object_get(before, "failures");

    shift_rounds(runs, done);
    json_object_set_new(cell, "runs", both(json_object_get(before, "runs"), runs));
    if (faults != NULL || faults_before != NULL)
        json_object_set_new(cell, "failures", both(faults_before, faults));
    if (done > finished && json_object_get(before, "ns") != NULL)
        json_object_set(cell, "ns", json_object_get(before, "ns"));
}

static void join_point(const struct bench *b, const struct bench_point *p, json_t *cells)
{
    const json_t *then = json_object_get(b->earlier, "cells"), *base = NULL;

    for (size_t k = 0; k < p->n; k++) {
        const char *lock = p->entries[k].lock->name;
        join(find(cells, lock, p->parameters), find(then, lock, p->parameters), b->done,
             b->finished);
    }
    if (p->baseline < p->n)
        base = find(cells, p->entries[p->baseline].lock->name, p->parameters);
    for (size_t k = 0; k < p->n; k++)
        sum_up(find(cells, p->entries[k].lock->name, p->parameters), base);
}

json_t *bench_joined(const struct bench *b, json_t *now)
{
    json_t *notes = json_object_get(now, "notes"), *note;
    size_t i;

    if (b->earlier == NULL)
        return now;
    if (b->finished == 0) { /* nothing to add, but perhaps that it is done */
        json_t *all = json_deep_copy(b->earlier);
        json_object_set(all, "complete", json_object_get(now, "complete"));
        json_decref(now);
        return all;
    }
    for (i = 0; i < b->n; i++)
        join_point(b, &b->points[i], json_object_get(now, "cells"));
    json_array_foreach(json_object_get(b->earlier, "notes"), i, note)
    {
        bool is_known = false;
        for (size_t k = 0; k < json_array_size(notes); k++)
            is_known = is_known || json_equal(note, json_array_get(notes, k));
        if (!is_known)
            json_array_append(notes, note);
    }
    return now;
}
