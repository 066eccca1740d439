/* SPDX-License-Identifier: MIT */
#ifndef FW_BENCH_FUTEXLOCK_H
#define FW_BENCH_FUTEXLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "bench.h"
#include "bench/adapters/adapter.h"
#include "measure/stats.h"

/*
 * futexlock: the benchmark by which Darren Hart measured FUTEX_LOCK ("[PATCH V5 0/4][RFC] futex:
 * FUTEX_LOCK with optional adaptive spinning", linux-kernel, 8 April 2010).  Threads run a fixed
 * number of instructions again and again; some per cent of them while they hold the one lock.
 */
enum { THOUSAND = 1000, MILLION = 1000000, BILLION = 1000000000 };

/* The locks in the place of his two, and the spin for a fixed time that adaptive competes with. */
extern const char lock_adaptive[], lock_normal[], lock_fixed[];

/* How many threads, and what each of them does in an iteration. */
struct duty {
    unsigned threads;
    unsigned period; /* instructions of an iteration */
    unsigned cycle;  /* per cent of them that are done holding the lock */
};

/* System calls of all threads while they were measured. */
struct call_counts {
    bool known;
    bool split; /* into these two; else all of them are in `lock` */
    uint64_t lock;
    uint64_t unlock;
};

/* What one run found. */
struct outcome {
    double seconds;
    uint64_t iterations;
    double cpu_seconds; /* of all threads that measured, together */
    struct tally tally;
    struct call_counts calls;
    uint64_t lost; /* visits that another one overwrote: the lock let two threads in */
};

/* --- instructions.c -------------------------------------------------------------------------- */

/* That many of them, or one less. */
void instructions_do(uint64_t n);

/* What one takes here; measured at the first call, which no other thread should disturb. */
double instructions_seconds(void);

/* --- calls.c --------------------------------------------------------------------------------- */

/* Counts system calls of the calling thread and of those that it starts between open and close. */
struct calls;
struct calls *calls_open(const char **why); /* NULL: they cannot be counted, and why */
void calls_start(struct calls *c);
void calls_stop(struct calls *c, struct call_counts *out);
void calls_close(struct calls *c);

/* --- run.c ----------------------------------------------------------------------------------- */

/* When a run ends: after a number of iterations of all threads together, or else after a time. */
struct extent {
    uint64_t iterations; /* 0: by time */
    unsigned milliseconds;
    bool is_exact; /* however many turns of the scheduler that is */
};

/* Before a run by time is measured. */
double run_warm_seconds(unsigned threads, const struct extent *until);

/*
 * Runs a lock once; `calls`, where it is not NULL, counts.  False, with a line on standard error:
 * it cannot be run here.
 */
bool run_lock(const struct adapter *lock, const struct duty *d, const struct extent *until,
              struct calls *calls, struct outcome *out);

/* --- once.c ---------------------------------------------------------------------------------- */

/* One lock, one run, told as Hart's program did.  Returns the exit status. */
int once(struct bench *b, const struct adapter *lock, const struct duty *d, uint64_t iterations,
         bool count, const char *json);

/* --- sweep.c --------------------------------------------------------------------------------- */

/* What is known of a lock at a point beyond struct bench_entry. */
struct spent {
    double *cpu_seconds;   /* per iteration, one of each repetition */
    double *burnt_seconds; /* of these, what is more than the instructions take */
    unsigned n;
    double lock_calls; /* per iteration; NAN: not counted */
    double unlock_calls;
};

struct sweep_point {
    struct sweep_point *next;
    struct duty duty;
    struct extent until;
    struct spent spent[BENCH_LOCKS_MAX]; /* as the point's entries */
};

/* A point without locks; the same with all that take part. */
struct bench_point *sweep_point(struct bench *b, const struct duty *d, const struct extent *until);
void sweep_add(struct bench *b, const struct duty *d, const struct extent *until,
               const struct bench_options *o);
void sweep_release(void); /* what is known of all points goes */
const struct sweep_point *sweep_detail(const struct bench_point *p);
void sweep_record(struct bench_point *p, struct bench_entry *e, const struct outcome *found,
                  struct bench_run *out);
bool sweep_run(struct bench_point *p, struct bench_entry *e, struct bench_run *out);
void sweep_describe(const struct bench *b, const struct bench_point *p, const struct bench_entry *e,
                    json_t *cell);

/* --- hart.c ---------------------------------------------------------------------------------- */

bool hart_measured(const struct duty *d); /* with these arguments */

/* His figures, below those of one run with his arguments; else nothing. */
void hart_print_run(const struct duty *d, FILE *out);

/* His figures and those of all locks at his point of a sweep; nothing where that is not in it. */
void hart_print_table(const struct bench *b, FILE *out);

/* Which entry is that lock's; p->n: none. */
size_t hart_index(const struct bench_point *p, const char *name);

/* The one's time per iteration to the other's, within each repetition. */
struct stats_ratio hart_times(const struct bench *b, const struct bench_entry *above,
                              const struct bench_entry *below);

/* --- plot.c ---------------------------------------------------------------------------------- */

enum { PLOT_POINTS_MAX = 16 };

/* Throughput over threads, at n points that follow one another: PLOT_POINTS_MAX at most. */
void plot_print(const struct bench *b, const struct bench_point *p, size_t n, FILE *out);

/* --- show.c and outcome.c -------------------------------------------------------------------- */

enum { PLACES_FEW = 4 /* shown in the common tables, too, which tell more of each */ };

void show_tables(const struct bench *b, FILE *out);
void show_nothing(const struct bench *b, FILE *out);
void show_rest(const struct bench *b, FILE *out); /* what comes after the common tables */

/* The goals: one line for each, with the points that fall short. */
void outcome_print(const struct bench *b, FILE *out);

/* Iterations per second with a lock that costs nothing, on CPUs that nobody else uses. */
double ideal_speed(const struct duty *d);

#endif
