/* SPDX-License-Identifier: MIT */
#ifndef FW_RTLATENCY_H
#define FW_RTLATENCY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/rt.h>

#include "bench.h"

/*
 * rtlatency: what lock and unlock cost real-time tasks.
 *
 *   locks.c      the protocols, and the C library's two, behind one face
 *   pairs.c      nobody else wants the lock: nanoseconds of a pair
 *   extra.c      system calls that a baseline need not make, to see what they are worth
 *   tasks.c      section V of the paper: periodic tasks, a section in each job
 *   evaluate.c   what their jobs have cost
 *   switches.c   when a thread did not run, as the kernel records it
 *   samples.c    what the jobs have cost, over all runs
 *   table.c      Table 1 and Figure 1, with the paper's figures beside
 *   goals.c      what the figures had to reach
 */
enum {
    PRIORITY = 10, /* of the least urgent task; the others follow */
    CEILING = 40,
    TASKS_MAX = 64,
    CACHE_LINE = 64
};

/* --- locks.c --------------------------------------------------------------------------------- */

enum figure { AVERAGE, P99, MOST, MEDIAN, FIGURES }; /* the paper has no medians */

/* The paper's; then those of UNLOCK_FREE apart whose lock was free, and taken; then no call. */
enum sample_kind {
    LOCK_FREE,
    UNLOCK_FREE,
    LOCK_TAKEN,
    UNLOCK_TAKEN,
    PAPER_KINDS,
    UNLOCK_AT_ONCE = PAPER_KINDS,
    UNLOCK_WAITED,
    CLOCK,
    SCHEDULE, /* Figure 1: from the end of a job to the next, less the time asleep */
    SAMPLE_KINDS
};

/* What an entry does beside its protocol, at each lock and each unlock. */
enum extra_call { NO_CALL, CALL_PI, CALL_YIELD };

struct variant {
    adapter_head head;                    /* first: entries of the experiment point here */
    fw_rt_protocol protocol;              /* 0: the C library's mutex */
    int native;                           /* its PTHREAD_PRIO_... */
    bool one_cpu, many_cpus;              /* in which of the paper's two halves of Table 1 */
    const char *baseline;                 /* its own kind that asks the kernel; NULL: none */
    const char *compared;                 /* with whom Table 1 compares it */
    enum extra_call extra;                /* only where it is named */
    unsigned paper_schedule;              /* cycles that it adds to the baseline's: section V-D */
    unsigned paper[PAPER_KINDS][FIGURES]; /* cycles at 1 GHz; 0: none */
};

extern const struct variant variants[];
extern const size_t n_variants;
const struct variant *variant_of(const struct bench_entry *e);

/* A lock, and what its users share. */
struct fixture {
    const struct variant *variant;
    fw_rt_group *group;
    pthread_mutex_t mutex;
    uint32_t extra_word;                                    /* of CALL_PI */
    uint64_t sections __attribute__((aligned(CACHE_LINE))); /* under the lock */
};

/* A thread that uses it. */
struct actor {
    struct fixture *fixture;
    fw_rt_task *task;
    unsigned lock;
    uint64_t period_ns, next_ns;
};

/* 0 or an errno value; *why is a sentence then. */
int fixture_open(struct fixture *s, const struct variant *v, fw_rt_tier tier, const char **why);
void fixture_close(struct fixture *s);

/* Makes the calling thread one: on that CPU, under that priority.  0 or an errno value. */
int actor_begin(struct actor *a, struct fixture *s, unsigned cpu, int priority, uint64_t period_ns);
void actor_end(struct actor *a);
void actor_next_period(struct actor *a);

/* --- extra.c --------------------------------------------------------------------------------- */

/* By the owner: at the beginning of its section, and at its end. */
void extra_begin(struct fixture *s);
void extra_end(struct fixture *s);

static inline int actor_lock(struct actor *a)
{
    int error;

    if (a->task == NULL)
        return pthread_mutex_lock(&a->fixture->mutex);
    error = fw_rt_lock(a->task, a->lock);
    if (__builtin_expect(a->fixture->variant->extra != NO_CALL, 0))
        extra_begin(a->fixture);
    return error;
}

static inline int actor_unlock(struct actor *a)
{
    if (__builtin_expect(a->fixture->variant->extra != NO_CALL, 0))
        extra_end(a->fixture);
    return a->task != NULL ? fw_rt_unlock(a->task, a->lock)
                           : pthread_mutex_unlock(&a->fixture->mutex);
}

/* Can it be had here?  0, or an errno value and a sentence. */
int variant_try(const struct variant *v, fw_rt_tier tier, char *why, size_t size);

/* May this process have SCHED_FIFO?  0 or an errno value. */
int real_time_allowed(void);

/* The number of the i-th CPU that this process may use. */
unsigned cpu_number(unsigned i);

/* --- switches.c ------------------------------------------------------------------------------ */

struct pause {
    uint64_t from_ns, to_ns; /* CLOCK_MONOTONIC */
    bool is_sleep;           /* else somebody else took the CPU */
};

struct switches; /* of one thread */

/* Opened by the thread itself.  NULL with errno where the kernel does not tell. */
struct switches *switches_open(void);

/* Its pauses so far, in an array that the caller frees; false: some were lost, or no memory. */
bool switches_read(struct switches *s, struct pause **pauses, size_t *n);
void switches_close(struct switches *s);

/* --- samples.c ------------------------------------------------------------------------------- */

struct summary {
    size_t n;
    double figure[FIGURES]; /* ns */
};

struct samples {
    float *ns[SAMPLE_KINDS];
    size_t n[SAMPLE_KINDS], capacity[SAMPLE_KINDS];
    struct summary summary[SAMPLE_KINDS];
    bool is_summed[SAMPLE_KINDS];
};

void samples_add(struct samples *s, enum sample_kind kind, double ns);
void samples_free(struct samples *s);

/* Of `n` of them, drawn by chance: the others are left out (section V-A).  Done once. */
struct summary samples_summary(struct samples *s, enum sample_kind kind, size_t n);

/* Of the same: as many per cent of them are at most this; NAN: there is none. */
double samples_percentile(struct samples *s, enum sample_kind kind, size_t n, double percent);

/* --- pairs.c and tasks.c --------------------------------------------------------------------- */

struct spot {
    struct bench *bench;
    fw_rt_tier tier;
    bool is_pairs;
    unsigned tasks, cpus;
    unsigned run_ms;
    uint64_t seed;
    const char *unit;        /* of its figures */
    struct samples *samples; /* of each entry of the point */
};

bool pairs_run(struct bench_point *p, struct bench_entry *e, struct bench_run *out);
bool tasks_run(struct bench_point *p, struct bench_entry *e, struct bench_run *out);

/* --- table.c, distribution.c and goals.c ------------------------------------------------------ */

/* The smallest number of samples of a kind, of those that have a tenth of the most at least. */
size_t samples_common(const struct bench_point *p, enum sample_kind kind);

const struct bench_entry *entry_of(const struct bench_point *p, const char *name); /* NULL: none */

/* Figure 1, as percentiles, and as [[percent, value], ...]. */
void distribution_print(const struct bench_point *p, FILE *out);
json_t *distribution_json(const struct bench_point *p, const struct bench_entry *e);

void table_print(const struct bench *b, FILE *out);
void table_describe(const struct bench *b, const struct bench_point *p, const struct bench_entry *e,
                    json_t *cell);
void goals_print(const struct bench *b, FILE *out);

#endif
