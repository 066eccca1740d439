/* SPDX-License-Identifier: MIT */
#ifndef FW_RT_ANALYSIS_PARTS_H
#define FW_RT_ANALYSIS_PARTS_H

#include "command/rt/analysis/analysis.h"

/* What the parts of the analysis know of each other.  All sums and products end at NO_BOUND. */
struct study {
    const struct taskset *set;        /* the costs are in it */
    uint64_t wakes[TASKSET_TASKS];    /* what it takes to dispatch all stretches of a job */
    uint64_t response[TASKSET_TASKS]; /* as far as known: it only grows */
    uint64_t effort;                  /* steps that may still be done */
    /* Tier B, by CPU: how long a turn, and a slice of starved threads; 0: there are none. */
    uint64_t turn[TASKSET_CPUS], slice[TASKSET_CPUS];
    /* MPCP: of each task's sections under a lock, the longest H, and the sum; multiprocessor.c. */
    uint64_t held_most[TASKSET_TASKS][TASKSET_LOCKS], held_sum[TASKSET_TASKS][TASKSET_LOCKS];
};

static inline uint64_t plus(uint64_t a, uint64_t b)
{
    return a > ANALYSIS_NO_BOUND - b ? ANALYSIS_NO_BOUND : a + b;
}

static inline uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) ? ANALYSIS_NO_BOUND : product;
}

static inline uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* Longest time that anything about the task is computed for. */
static inline uint64_t horizon(const struct taskset_task *t)
{
    return times(64, t->period);
}

/* set.c: questions about the set. */
bool study_uses(const struct taskset_task *t, int lock);
bool study_shares(const struct taskset *set, int task, int lock); /* another one uses it, too */
bool study_is_on_one_cpu(const struct taskset *set, int lock);
int study_ceiling(const struct taskset *set, int lock);
/* The highest priority of a user on another CPU; 0: none. */
int study_remote_ceiling(const struct taskset *set, int lock, int cpu);
uint64_t study_longest(const struct taskset_task *t); /* section; 0: none */
/* 1 + x, and a stretch more for each request of a lock that others use, too. */
uint64_t study_stretches(const struct taskset *set, int task, bool suspends);

/* A job's blocking without `wake`, from what is known of responses.  The first two are constant. */
uint64_t study_pip(struct study *s, int task);
uint64_t study_ceiling_blocking(struct study *s, int task);
uint64_t study_mpcp(struct study *s, int task);
uint64_t study_fmlp(struct study *s, int task);

/* Fills in held_most and held_sum. */
void study_holding(struct study *s);

/* Does the set nest locks in a circle? */
bool study_has_circle(const struct taskset *set);

/* Less urgent tasks' boosted sections, in all stretches. */
uint64_t study_boosted(const struct study *s, int task);

/* response.c: with that blocking; `is_late`: by the second formula. */
uint64_t study_response(struct study *s, int task, uint64_t blocking, bool is_late);

/* tier_b.c: fills in `turn` and `slice`, from what is known of responses. */
void study_scheduler(struct study *s, uint64_t tick, uint64_t wake);

/* What those take of the CPU in a window of that length. */
uint64_t study_taken(const struct study *s, int cpu, uint64_t window);

/* How many jobs of the task there may be in a window of that length. */
uint64_t study_jobs(const struct study *s, int task, uint64_t window);

#endif
