/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "measure/machine.h"

const char *bench_family_name(enum adapter_family family)
{
    static const char *const names[] = {"furwock", "classic", "rival"};

    return names[family];
}

json_t *bench_machine_json(void)
{
    struct machine m;

    machine_describe(&m);
    return json_pack("{s:s s:i s:s s:s s:s s:b s:s s:s}", "cpu", m.cpu, "cpus", (int)m.cpus,
                     "kernel", m.kernel, "libc", m.libc, "compiler", m.compiler, "virtual",
                     m.virtual_, "date", m.date, "assist", m.assist);
}

json_t *bench_missing_json(const struct missing_adapter *const *missing, size_t n)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(
            list, json_pack("{s:s s:s}", "lock", missing[i]->name, "why", missing[i]->why));
    return list;
}

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *bench_interval_json(double low, double high)
{
    return isfinite(low) ? json_pack("[f,f]", low, high) : json_null();
}

static json_t *runs_json(const struct bench *b, const struct bench_entry *e)
{
    json_t *runs = json_array();

    for (unsigned i = 0; i < b->finished; i++)
        json_array_append_new(runs, json_pack("{s:i s:f s:f s:f s:o s:o}", "round", (int)i,
                                              "seconds", e->runs[i].seconds, "vcsw",
                                              e->runs[i].voluntary, "ivcsw", e->runs[i].involuntary,
                                              "syscalls", real_or_null(e->system_calls),
                                              "fences_per_s", real_or_null(e->fences)));
    return runs;
}

static json_t *cell_json(const struct bench *b, const struct bench_point *p,
                         const struct bench_entry *e)
{
    struct bench_figures f = bench_figures(b, p, e);
    json_t *cell = json_pack("{s:s s:s s:b s:f}", "lock", e->lock->name, "family",
                             bench_family_name(e->lock->family), "blocks",
                             (e->lock->flags & ADAPTER_BLOCKS) != 0, "pieces", p->pieces);
    json_t *summary = json_pack("{s:i s:f s:o}", "n", (int)f.n, "median", f.median, "ci95",
                                bench_interval_json(f.low, f.high));

    if (isfinite(f.ratio.ratio))
        json_object_set_new(summary, "ratio",
                            json_pack("{s:s s:f s:o}", "to", p->entries[p->baseline].lock->name,
                                      "median", f.ratio.ratio, "ci95",
                                      bench_interval_json(f.ratio.low, f.ratio.high)));
    json_object_update(cell, p->parameters);
    if (e->faults > 0)
        json_object_set_new(cell, "failures",
                            json_pack("[{s:s s:i}]", "what", e->fault, "times", (int)e->faults));
    json_object_set_new(cell, "runs", runs_json(b, e));
    json_object_set_new(cell, "summary", summary);
    if (b->describe != NULL)
        b->describe(b, p, e, cell);
    return cell;
}

json_t *bench_json(const struct bench *b)
{
    json_t *cells = json_array(), *notes = json_array();

    for (size_t i = 0; b->finished > 0 && i < b->n; i++)
        for (size_t k = 0; k < b->points[i].n; k++)
            json_array_append_new(cells, cell_json(b, &b->points[i], &b->points[i].entries[k]));
    for (size_t i = 0; i < b->n_notes; i++)
        json_array_append_new(notes, json_string(b->notes[i]));
    return json_pack("{s:s s:s s:s s:i s:f s:b s:o s:o s:o s:o s:o* s:o}", "format",
                     "furwock-bench-1", "benchmark", b->name, "unit", b->unit, "rounds",
                     (int)(b->done + b->finished), "seconds", b->spent + b->seconds, "complete",
                     b->done + b->finished > 0 && !bench_interrupted, "machine",
                     bench_machine_json(), "made", bench_made_json(), "missing",
                     bench_missing_json(b->catalogue.missing, b->catalogue.n_missing), "notes",
                     notes, "settings", json_incref(b->settings), "cells", cells);
}

int bench_open_json(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

    if (fd < 0)
        bench_die("cannot write %s: %s", path, strerror(errno));
    return fd;
}

int bench_write_json(json_t *root, int fd)
{
    if (root == NULL) {
        errno = ENOMEM;
        return -1;
    }
    /* What was there before goes now, and not before there is something to put in its place. */
    if (ftruncate(fd, 0) != 0)
        errno = 0; /* a pipe or a terminal */
    int result = json_dumpfd(root, fd, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    json_decref(root);
    return result;
}
