/* SPDX-License-Identifier: MIT */
#ifndef FW_RTLATENCY_TASKS_H
#define FW_RTLATENCY_TASKS_H

#include "rtlatency.h"

/* What tasks.c runs, and evaluate.c looks at afterwards. */

struct job {
    uint64_t at[4];    /* ticks: before and after lock, before and after unlock */
    uint64_t none[2];  /* before and after nothing */
    uint64_t sleep[2]; /* before and after the wait for the next job */
    uint64_t section;
};

struct tasks;

struct worker {
    struct tasks *all;
    unsigned index;
    uint64_t period_ns, section_lines, other_lines;
    struct job *jobs;
    size_t n, capacity;
    struct pause *pauses;
    size_t n_pauses;
    bool blind;
    char *memory;
    size_t line;
    pthread_t thread;
};

struct tasks {
    struct fixture fixture;
    const struct spot *spot;
    struct worker worker[TASKS_MAX];
    pthread_barrier_t start;
    uint64_t ends_ns;
    int error;
    /* A tick in nanoseconds, and the time of tick 0. */
    double tick_ns, zero_ns;
};

/*
 * Adds what the run's jobs have cost to the samples.  False: sections overlapped.
 */
bool evaluate(struct tasks *all, struct samples *to);

#endif
