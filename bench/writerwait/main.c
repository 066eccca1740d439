/* SPDX-License-Identifier: MIT */
/*
 * writerwait: how long a writer waits under a flood of readers, in units of a read section.
 *
 * A phase-fair lock (Brandenburg and Anderson, "Spin-based reader-writer synchronization for
 * multiprocessor real-time systems", 2010) lets a writer in after the readers that came before it,
 * and, if readers were waiting for another writer, after these: two sections at most.
 */
#include <stdlib.h>

#include "bench/adapters/rw_adapter.h"
#include "measure/clock.h"
#include "measure/workers.h"
#include "writerwait.h"

enum {
    LIST_MAX = 8,
    READERS_MAX = 4096,
    SECTION_LEAST = 100,
    SECTION_MAX = 10000000,
    WRITES_MAX = 1000000,
    WRITES = 1000,
    PAUSE_IN_SECTIONS = 5, /* of the writer, between two waits, on average */
    CALIBRATE_FOR_NS = 20000000,
    REPETITIONS = 21
};

static const char baseline[] = "pthread-rw-writers";

struct command {
    struct bench_options common;
    unsigned sections[LIST_MAX];
    size_t n_sections;
    unsigned readers, writes;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &c->common;
        return 0;
    case 'n':
        c->readers = (unsigned)bench_number("--readers", arg, 1, READERS_MAX);
        return 0;
    case 'c':
        c->n_sections =
            bench_numbers("--section", arg, SECTION_LEAST, SECTION_MAX, c->sections, LIST_MAX);
        return 0;
    case 'w':
        c->writes = (unsigned)bench_number("--writes", arg, 1, WRITES_MAX);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"readers", 'n', "N", 0, "readers that never pause (one per CPU but one)", 0},
    {"section", 'c', "NS[,NS...]", 0, "length of a read section, in ns (2000,20000)", 0},
    {"writes", 'w', "N", 0, "times that the writer takes the lock in a run (1000)", 0},
    {0},
};

static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "[LOCK...]",
    .children = children,
    .doc = "Lets readers take and release a lock without a pause, and a writer ask for it now and "
           "then; shows how long the writer waits, in units of a read section, and how many of the "
           "waits were disturbed by the scheduler.  Compares each LOCK (all, where none is named) "
           "with the C library's, in turns.",
};

static void complete(struct command *c)
{
    unsigned cpus = cpus_usable();

    if (c->n_sections == 0) {
        c->sections[c->n_sections++] = 2000;
        c->sections[c->n_sections++] = 20000;
    }
    if (c->readers == 0)
        c->readers = cpus > 1 ? cpus - 1 : 1;
    if (c->writes == 0)
        c->writes = WRITES;
}

/* How long that many steps take on this machine: the least of many, as nobody is to be blamed. */
static double section_length(uint64_t steps)
{
    uint64_t end = clock_ns() + CALIBRATE_FOR_NS, least = UINT64_MAX, now, then;

    for (then = clock_ns(); then < end; then = now) {
        work_do(steps);
        now = clock_ns();
        if (now - then < least)
            least = now - then;
    }
    return (double)least;
}

static void add_point(struct bench *b, const struct command *c, struct flood *f, unsigned ns)
{
    struct bench_point *p;

    f->readers = c->readers;
    f->writes = c->writes;
    f->section = work_steps(ns);
    f->pause = f->section * PAUSE_IN_SECTIONS;
    f->section_ns = section_length(f->section);
    p = bench_add_point(b, 1,
                        json_pack("{s:i s:i s:f s:i}", "readers", (int)f->readers, "section_ns",
                                  (int)ns, "measured_ns", f->section_ns, "writes", (int)f->writes));
    p->detail = f;
    snprintf(p->title, sizeof p->title, "%u reader%s, sections of %u ns", f->readers,
             f->readers == 1 ? "" : "s", ns);
    for (size_t i = 0; i < b->catalogue.n; i++) {
        if (!bench_wanted(&c->common, b->catalogue.locks[i]->name, baseline))
            continue;
        f->waits[p->n] = calloc(1, sizeof *f->waits[0]);
        if (f->waits[p->n] == NULL)
            bench_die("no memory");
        bench_add_entry(p, b->catalogue.locks[i], baseline);
    }
}

int main(int argc, char **argv)
{
    static struct command c;
    static struct flood floods[LIST_MAX];
    static struct bench b = {.name = "writerwait",
                             .unit = "wait",
                             .repetitions = REPETITIONS,
                             .run = flood_run,
                             .print_more = flood_print,
                             .describe = flood_describe};
    int status;

    bench_begin("writerwait");
    argp_parse(&command_line, argc, argv, 0, NULL, &c);
    bench_offer(&b.catalogue, rw_adapter_list, rw_adapter_missing);
    bench_check_names(&b.catalogue, &c.common);
    complete(&c);
    work_calibrate();
    for (size_t i = 0; i < c.n_sections; i++)
        add_point(&b, &c, &floods[i], c.sections[i]);
    if (c.readers >= cpus_usable())
        bench_note(&b, "more threads than CPUs: the waits measure the scheduler, too");
    status = bench_whole(&b, &c.common);
    for (size_t i = 0; i < c.n_sections; i++)
        for (size_t k = 0; k < BENCH_LOCKS_MAX; k++)
            free(floods[i].waits[k]);
    return status;
}
