/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_CONTRACT_H
#define FW_TEST_CONTRACT_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "adapter.h"
#include "clock.h"
#include "crew.h"
#include "rng.h"

/*
 * The contract of a lock, in groups of tests.  A group is run for every adapter that claims what
 * the group tests; the lock under test is `subject`.
 */
extern const struct adapter *subject;

struct contract_group {
    const char *name;
    bool (*applies)(const struct adapter *a);
    int (*run)(void); /* cmocka's count of failures */
};

extern const struct contract_group group_exclusion, group_trylock, group_timed, group_order,
    group_wakeup, group_lifetime, group_misuse, group_memory, group_idle;

/* How long one test may take before its watchdog calls it a hang, in seconds. */
extern unsigned patience;

enum { MS = 1000000 /* nanoseconds */ };

bool subject_is(unsigned flag);

/*
 * As many tasks as the lock takes kindly: where waiters never sleep, no more than there are CPUs
 * (but two), so that the holder gets to run.
 */
unsigned kind_tasks(unsigned wanted);

/*
 * As many rounds as take about as long for every lock: fewer where each costs a context switch
 * (fair locks) or perhaps a time slice (spin locks), and under a sanitizer.
 */
unsigned kind_rounds(unsigned wanted);

/*
 * What a holder does with the lock: works for up to so long, and at times lets the others run
 * into the held lock, whether or not there is a processor free for them.
 */
void hold(struct rng *random, uint32_t most_ns);

/* One lock, ready; private, or shared with forked children.  The test fails where there is none. */
void *lock_make(bool shared);
void lock_unmake(void *lock);

/* Runs the body in n tasks, all started at once, under a watchdog that shows the lock. */
void tasks_run(unsigned n, unsigned kind, const char *what, void *lock,
               void (*body)(unsigned, void *), void *arg);

/* Zeroed memory that forked children share. */
void *shared_make(size_t size);
void shared_unmake(void *memory, size_t size);

/*
 * A thread that asks for the lock, and one look at it: helper_start returns when the thread waits
 * for the lock (sleeps, or has polled for a while), or has got it.
 */
struct helper {
    void *lock;
    void (*got)(void *arg); /* called while the lock is held */
    void *arg;
    void (*unlock)(void *lock);
    int state_; /* internal from here */
    int tid_;
    unsigned long thread_;
};

void helper_start(struct helper *h);
void helper_join(struct helper *h);

#endif
