/* SPDX-License-Identifier: MIT */
#ifndef FW_BENCH_DROPIN_H
#define FW_BENCH_DROPIN_H

#include <stdint.h>

/*
 * dropin-run: one case of dropin, once.  It knows the POSIX names only, and is run with and without
 * the drop-in preloaded; what it measures is whose functions stand behind these names.
 */

/* What to do, and what came of it. */
struct order {
    unsigned threads;
    double milliseconds; /* for how long */
    double held_us;      /* in the lock, where that makes sense */
    double free_us;      /* and outside of it */

    double ns;                     /* a call, a pair of calls, or a round */
    double voluntary, involuntary; /* context switches, each call, pair, or woken thread */
};

struct bench_case {
    const char *name;
    const char *about;
    unsigned threads; /* 0: two for each CPU */
    double held_us, free_us;
    void (*run)(const struct bench_case *c, struct order *o);
    int kind; /* the function's own */
};

/* loops.c: calls in a tight loop, while a second thread sleeps. */
void loop_mutex(const struct bench_case *c, struct order *o); /* kind: enum mutex_kind */
void loop_sem(const struct bench_case *c, struct order *o);   /* kind: pshared */
void loop_read(const struct bench_case *c, struct order *o);
void loop_write(const struct bench_case *c, struct order *o);
void loop_signal(const struct bench_case *c, struct order *o);
void loop_spin(const struct bench_case *c, struct order *o);

/* contended.c: threads that want the same. */
void contended_mutex(const struct bench_case *c, struct order *o); /* kind: enum mutex_kind */
void contended_read(const struct bench_case *c, struct order *o);  /* kind: per cent of reads */
void contended_pass(const struct bench_case *c, struct order *o);  /* a semaphore to and fro */

/* broadcast.c: all who wait are woken. */
void broadcast_run(const struct bench_case *c, struct order *o);

enum mutex_kind {
    MUTEX_NORMAL,
    MUTEX_RECURSIVE,
    MUTEX_ERRORCHECK,
    MUTEX_ADAPTIVE,
    MUTEX_SHARED,
    MUTEX_ROBUST,
    MUTEX_INHERIT
};

/* --- Help ------------------------------------------------------------------------------------ */

/* Ends the program with one line where error is not 0. */
void check(int error, const char *what);

void mutex_make(void *mutex, enum mutex_kind kind);

/* Context switches of all threads but the calling one. */
struct switches {
    uint64_t voluntary, involuntary;
};
struct switches switches_now(void);

#endif
