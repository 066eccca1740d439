/* SPDX-License-Identifier: MIT */
#ifndef FW_BENCH_MOLNAR_H
#define FW_BENCH_MOLNAR_H

#include <sched.h>
#include <stdbool.h>

#include "bench.h"

/*
 * What Ingo Molnar published of cond-perf and pp ("futex requeueing feature", linux-kernel, 19 May
 * 2003; measured by Saurabh Desai on a system with four Pentium III of 700 MHz): each on one, two
 * and four CPUs, with the C library as it was, which wakes everybody, and with requeueing.
 */
enum { MOLNAR_CPUS = 3, MOLNAR_PLACES = 2 };

extern const unsigned molnar_cpus[MOLNAR_CPUS]; /* 1, 2, 4 */

struct molnar_row {
    const char *library;         /* "Default NPTL", "requeue NPTL" */
    double seconds[MOLNAR_CPUS]; /* INFINITY: "incompleted 2m+" */
};

/* A command of the message, and what it told. */
struct molnar_place {
    const char *command; /* as printed: "./cond-perf -r 100 -n 200" */
    unsigned first, second;
    struct molnar_row rows[2];
};

extern const struct molnar_place molnar_condperf[MOLNAR_PLACES]; /* rounds, waiters */
extern const struct molnar_place molnar_pp[MOLNAR_PLACES];       /* games, iterations */

/*
 * Keeps the calling thread, and those that it starts from now on, on the first `cpus` of the CPUs
 * that it may use; 0: on all of them.  *before: for molnar_release().
 */
void molnar_confine(unsigned cpus, cpu_set_t *before);
void molnar_release(const cpu_set_t *before);

/* How many of molnar_cpus this machine has. */
size_t molnar_columns(void);

/*
 * Prints a table for each place: what was published, and below it each lock of today, in seconds
 * for as much work.  The points of a place follow one another in `b`, one for each number of CPUs;
 * units: how many of the benchmark's units, as this point has them, a run of the place was.
 */
void molnar_print(const struct bench *b, const struct molnar_place *places,
                  double (*units)(const struct molnar_place *, const struct bench_point *),
                  FILE *out);

#endif
