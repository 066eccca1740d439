/* SPDX-License-Identifier: MIT */
#ifndef FW_STRESS_TESTS_H
#define FW_STRESS_TESTS_H

#include <sys/types.h>

#include "stress.h"

/* What the tests of test_stress share: how each is described, and what several of them do. */

/* One test: `test_stress NAME`.  Zero in a number means the default of `stress`. */
struct stress_test {
    const char *name, *about;
    void (*body)(struct worker *me);
    uint64_t turns; /* a short run ends after these turns of all workers, a full one by the time */
    unsigned threads, least_threads, most_threads;
    double seconds;
    struct guarded *locks;
    unsigned n_locks;
    int variant;        /* the file's own */
    int (*begin)(void); /* may be NULL; what is not 0 is the program's exit status */
    void (*end)(void);  /* may be NULL: checks what has to hold when all have returned */
    bool has_to_fork;   /* fails unless stress_forked has been called */
};

extern const struct stress_test *stress_test; /* that runs */

/* Each file's; a row without a name ends them. */
extern const struct stress_test any_tests[], await_tests[], await_mutex_tests[],
    await_region_tests[], brlock_tests[], cond_cancelled_tests[], cond_ring_tests[], fork_tests[],
    freed_tests[], mutex_tests[], once_tests[], refused_tests[], rwlock_tests[], sem_tests[];

/* One of the wait policies, each as often as the others, except for the one that only spins. */
const fw_wait_policy *some_policy(struct worker *me);

/* Releases; one time in `one_in` as a hand-off. */
void release(struct worker *me, struct guarded *g, uint32_t one_in);

/*
 * Batches of n objects, which `make` makes anew for each batch, and which all workers use in the
 * same order, with small detours, so that now one and now another is the first.
 */
void stress_batches(struct worker *me, int n, void (*make)(struct worker *me, int i),
                    void (*use_it)(struct worker *me, int i));

/* A page of zeros, alone in its mapping: once it is gone, a late touch is a fault. */
void *new_page(void);
void drop_page(void *page);

/* Forks.  In the child, which returns 0, a watchdog runs; below 0: the system allows no more. */
pid_t stress_fork(void);

/* Waits for that child, which must have succeeded. */
void stress_forked(pid_t child);

/* From here on the kernel fails this system call with `error`; false: it cannot be had so. */
bool refuse_system_call(unsigned number, int error);

/*
 * Restarts the program under a kernel (NEVER_HELPS: no membarrier) or a C library (NO_RSEQ) that
 * does not help plain releases; returns 0 in the program that was restarted, and otherwise an exit
 * status.
 */
enum { HELPS, NEVER_HELPS, NO_RSEQ, HELPS_NO_LONGER, SKIPPED = 77 };
int restart_without_help(int how);

#endif
