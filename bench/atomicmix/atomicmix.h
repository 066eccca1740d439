/* SPDX-License-Identifier: MIT */
#ifndef FW_BENCH_ATOMICMIX_H
#define FW_BENCH_ATOMICMIX_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench.h"
#include "bench/adapters/libatomics.h"

enum {
    SIZE_MAX_BYTES = 4096, /* of an object */
    BUFFER_BYTES =
        SIZE_MAX_BYTES + 192, /* buffers a page apart would wait for each other's stores */
    PAIR_BYTES = 16,          /* the size that also has calls of its own */
    LINE_PAIR = 128
};

enum operation { LOAD, STORE, EXCHANGE, COMPARE_EXCHANGE, OPERATIONS };

/* What threads do: percentages of each operation, which add up to 100. */
struct mix {
    char name[32]; /* "load", "95:5:0:0" */
    unsigned share[OPERATIONS];
};

/* Where the objects are. */
enum where {
    SAME,       /* all threads use one */
    NEIGHBOURS, /* each has its own, adjacent in an array */
    FAR_APART,  /* each has its own, on lines of its own, anywhere */
    PLACES
};
extern const char *const where_names[PLACES];

/* What is asked of furwock's library at a point. */
enum goal_kind { NO_GOAL, TIME_AT_MOST, TIMES_AT_LEAST };

/* One point of the experiment. */
struct test {
    size_t size;
    size_t offset; /* of the object, from an address that suits its size */
    bool sized;    /* the calls for 16 bytes, instead of those for any size */
    struct mix mix;
    enum where where;
    unsigned threads; /* 0: a tight loop, nobody else awake */
    int order;        /* of memory: __ATOMIC_SEQ_CST, __ATOMIC_ACQ_REL or __ATOMIC_RELAXED */
    uint64_t run_ns;
    enum goal_kind goal;
    double bound;
    unsigned turns[BENCH_LOCKS_MAX]; /* how often each entry was run */
    uint64_t tried[BENCH_LOCKS_MAX]; /* compare-exchanges */
    uint64_t succeeded[BENCH_LOCKS_MAX];
};

/* A rival, as the experiment knows it. */
struct rival {
    ADAPTER_HEAD
    const struct libatomics *library;
};

/* --- loops.c: what one thread does ------------------------------------------------------------ */

enum { PATTERN = 256 }; /* calls after which a mix repeats: a power of two */

/* A thread, its object and what it needs besides; large, on lines of its own. */
struct actor {
    alignas(LINE_PAIR) char value[2][BUFFER_BYTES]; /* what is stored; what is expected */
    char out[BUFFER_BYTES];
    unsigned char pattern[PATTERN]; /* enum operation */
    const struct libatomics *library;
    void *object;
    size_t size;
    int load_order, store_order, both_order;
    void (*loop)(struct actor *a, unsigned n);
    unsigned at;       /* in the pattern */
    unsigned expected; /* which value a compare-exchange expects */
    uint64_t tried, succeeded;
    alignas(LINE_PAIR) uint64_t done; /* calls; read by others */
};

/* `seed`: actors with the same do the same. */
void actor_init(struct actor *a, const struct test *t, const struct libatomics *library,
                void *object, uint64_t seed);

/* --- run.c ------------------------------------------------------------------------------------ */

/* Runs one library once, as bench.run wants it; detail: struct test. */
bool test_run(struct bench_point *point, struct bench_entry *entry, struct bench_run *out);

/* --- plan.c: which points --------------------------------------------------------------------- */

enum { LIST_MAX = 16, MIXES_MAX = 16 };

struct plan {
    struct bench_options common;
    unsigned sizes[LIST_MAX], threads[LIST_MAX]; /* threads: for each CPU; 0: alone */
    size_t n_sizes, n_threads;
    struct mix mixes[MIXES_MAX];
    size_t n_mixes;
    bool where[PLACES];
    unsigned offset, run_ms;
    int order;
    bool sized, goals, grid;
};

/* "load,95:5:0:0": fills the plan's mixes, or refuses. */
void plan_mixes(struct plan *p, const char *text);
void plan_points(struct plan *p, const char *text);
void plan_order(struct plan *p, const char *text);

/* All points, as an array that lives as long as the program. */
struct test *plan_tests(struct plan *p, size_t *n);

/* --- show.c ----------------------------------------------------------------------------------- */

void title_of(char *text, size_t size, const struct test *t);
json_t *parameters_of(const struct test *t);
void show_points(const struct bench *b, FILE *out);
void show_goals(const struct bench *b, FILE *out);
void describe(const struct bench *b, const struct bench_point *p, const struct bench_entry *e,
              json_t *cell);

#endif
