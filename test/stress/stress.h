/* SPDX-License-Identifier: MIT */
#ifndef FW_STRESS_H
#define FW_STRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <furwock/mutex.h>

/*
 * What the stress programs share: options, threads, data that shows a broken exclusion, and a
 * watchdog that aborts the program when somebody makes no progress.
 */

/* Data under a lock.  The two counters are equal whenever nobody is inside. */
struct guarded {
    fw_mutex lock;
    uint64_t first;
    uint64_t between[6]; /* keeps the counters on two cache lines */
    uint64_t second;
};

/* One thread of a program, or one of its main program's roles. */
struct worker {
    unsigned index;
    uint64_t random;
    uint64_t turns;    /* what the worker has done; the watchdog looks at it */
    const char *doing; /* for the watchdog's report; may be NULL */
    bool is_over;
    void (*body)(struct worker *me);
    pthread_t thread;
};

/* Options, with defaults set before stress_begin. */
struct stress {
    const char *about;
    double seconds;
    uint64_t turns; /* of all workers: a short run ends when they are done; 0: by the time only */
    unsigned threads;
    uint64_t seed;
    const char *mode;      /* the argument that is no option; NULL: the program takes none */
    struct guarded *locks; /* what the watchdog prints */
    unsigned n_locks;
    bool is_constrained; /* a sanitizer or an emulator: slow, and no new threads after a fork */
};

extern struct stress stress;

/*
 * Reads the command line; reduces time and threads under a sanitizer or valgrind.  There, with
 * --seconds, and where all tests are run in full, turns end nothing.
 */
void stress_begin(int argc, char **argv);

/* Runs n threads until it is over and all have returned; the watchdog watches meanwhile. */
void stress_run(unsigned n, void (*body)(struct worker *me));

/* The same for `seconds`, also in a forked child. */
void stress_run_for(double seconds, unsigned n, void (*body)(struct worker *me));

/* Is the time over, or are the turns done, and has each worker had one? */
bool stress_is_over(void);

/* A worker did something. */
static inline void did_a_turn(struct worker *me)
{
    __atomic_store_n(&me->turns, me->turns + 1, __ATOMIC_RELAXED);
}

/* A number below `limit`. */
uint32_t draw(struct worker *me, uint32_t limit);

/* Prints a line and the words of all locks, and aborts. */
_Noreturn void stress_fail(const char *what, const struct guarded *g);

/* What one does while one holds g->lock. */
static inline void use(struct guarded *g)
{
    if (g->first != g->second)
        stress_fail("two at once in a critical section", g);
    g->first++;
    __asm__ __volatile__("" ::: "memory");
    g->second++;
}

/* Fails unless the lock is free and nobody is counted as a waiter. */
void check_at_rest(const struct guarded *g);

/* Ends the program with the number of turns of all workers that stress_run has had. */
int stress_end(void);

/* A deadline on CLOCK_MONOTONIC. */
fw_deadline in_ns(int64_t ns);

/* Burns about ns nanoseconds, or sleeps. */
void burn(uint32_t ns);
void sleep_us(uint32_t us);

#endif
