/* SPDX-License-Identifier: MIT */
#ifndef FW_BENCH_LOCKMIX_H
#define FW_BENCH_LOCKMIX_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "bench.h"
#include "bench/adapters/adapter.h"
#include "measure/histogram.h"
#include "measure/rng.h"

/*
 * Threads that work on shared data under locks, in one of several modes, while other processes
 * take CPUs away.
 *
 *     main.c      the command line, and the points of the experiment
 *     keys.c      which bucket or lock is wanted next
 *     one.c, hash.c, many.c     the modes
 *     hogs.c      the antagonists
 *     run.c       a run of one lock at one point
 *     gauges.c    what a run found beyond what every benchmark measures
 *     show.c      the tables
 */
enum {
    LINE = 64,
    LINE_PAIR = 128, /* CPUs fetch lines in pairs */
    PER_CENT = 100,
    THOUSAND = 1000 /* acquisitions for which switches and calls are counted */
};

/* What is the same at every point. */
struct mix {
    unsigned run_ms;     /* with few threads */
    bool is_exact;       /* ... and with many, however many turns of the scheduler that is */
    unsigned between_ns; /* work between two operations */
    unsigned lines;      /* one: cache lines written in a section */
    unsigned buckets;    /* hash: each has a lock */
    unsigned keys;
    unsigned reads; /* per cent of the operations */
    unsigned locks; /* many */
    unsigned pairs; /* many: per cent of the operations that take two */
    unsigned duty;  /* per cent of the time that an antagonist wants a CPU */
    double zipf;    /* the n-th most wanted key is wanted 1/n^zipf as often as the first */
    uint64_t seed;
};

/* --- keys.c ---------------------------------------------------------------------------------- */

enum { KEYS_DRAWN = 1 << 18 };

/* Ranks 0 <= r < n, drawn once by Zipf's law; threads read them from different points on. */
struct keys {
    uint32_t *drawn; /* KEYS_DRAWN of them */
};

/* False: no memory. */
bool keys_draw(struct keys *k, unsigned n, double zipf, uint64_t seed);
void keys_free(struct keys *k);

/* --- run.c ----------------------------------------------------------------------------------- */

struct fixture;

struct worker {
    alignas(LINE_PAIR) struct fixture *fixture;
    struct rng random;
    unsigned at;      /* in the keys */
    unsigned untimed; /* acquisitions until the next one that is timed */
    uint64_t writes;  /* the modes' own counts, for their checks */
    uint64_t inserted;
    uint64_t removed;
    struct histogram waits;

    alignas(LINE_PAIR) uint64_t operations; /* only the worker writes them; read at any time */
    uint64_t acquisitions;
    clockid_t clock; /* of the CPU time it has used */
    bool has_clock;
};

/* What the locks protect, and what is done to it. */
struct mode {
    const char *name;
    const char *about;
    unsigned (*locks)(const struct mix *m); /* how many it needs */
    unsigned (*ranks)(const struct mix *m); /* of the keys; 0: it needs none */
    void *(*make)(const struct mix *m);     /* NULL: no memory */
    void (*operate)(struct worker *w);      /* one operation */

    /* After all have ended: what is wrong with the data; NULL: nothing. */
    const char *(*check)(const struct fixture *s);
    void (*unmake)(void *data);
};
extern const struct mode mode_one, mode_hash, mode_many;

/* One point of the experiment. */
struct spot {
    const struct bench *bench;
    const struct mix *mix;
    const struct mode *mode;
    const struct keys *keys;
    unsigned threads;
    unsigned antagonists;
    unsigned run_ms;
    uint64_t between;      /* steps of work */
    struct gauge **gauges; /* of each entry, of each repetition */
};

struct fixture {
    const struct spot *spot;
    const struct adapter *lock;
    void *locks;
    void *data; /* the mode's */
    struct worker *workers;
    bool counts; /* what begins now is measured */
    bool over;
};

/* Takes and releases the i-th lock. */
void enter(struct worker *w, unsigned i);
void leave(struct worker *w, unsigned i);

/* The next rank. */
uint32_t next_rank(struct worker *w);

/* Of all workers together; for the checks. */
uint64_t all_acquisitions(const struct fixture *s);

/* Runs one lock, as bench.run wants it; detail: struct spot. */
/* Before a run is measured. */
double spot_warm_seconds(const struct spot *spot);
bool spot_run(struct bench_point *point, struct bench_entry *entry, struct bench_run *out);

/* --- hogs.c ---------------------------------------------------------------------------------- */

struct worker_group;

/* Processes that compute; to be started while there are no threads.  NULL with errno. */
struct worker_group *hogs_start(unsigned n, unsigned duty);
void hogs_end(struct worker_group *hogs);

/* --- gauges.c -------------------------------------------------------------------------------- */

struct gauge {
    double rate;   /* operations per second */
    double cpu_ns; /* CPU time of all threads, per acquisition */
    double least;  /* operations of the thread with the fewest, over those of the one with most */
    double half;   /* share of the busier half of the threads; 0.5: fair, 1: only they did any */
    double p50, p99, p999, longest; /* ns until a lock is acquired */
};

/* Remembers what a repetition found. */
void gauge_keep(const struct bench_point *p, const struct bench_entry *e, const struct gauge *g);

/* The median over the repetitions of the member that lies at the offset. */
double gauge_median(const struct bench *b, const struct bench_point *p, const struct bench_entry *e,
                    size_t offset);

/* Adds to a cell of the result file, as bench.describe. */
void gauge_describe(const struct bench *b, const struct bench_point *p, const struct bench_entry *e,
                    json_t *cell);

/* --- show.c ---------------------------------------------------------------------------------- */

/* As bench.print_points. */
void show_points(const struct bench *b, FILE *out);

#endif
