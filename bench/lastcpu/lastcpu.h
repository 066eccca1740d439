/* SPDX-License-Identifier: MIT */
#ifndef FW_BENCH_LASTCPU_H
#define FW_BENCH_LASTCPU_H

#include <stdbool.h>
#include <stdint.h>

/* How a waiter waits, before it goes to sleep. */
enum way {
    BLOCK, /* not at all */
    SPIN,  /* polls for the budget, whatever it is told */
    ASK,   /* polls until it is told that the owner does not run, for the budget at most */
    WAYS
};

/* What happened while a waiter polled, by what it was told: [0] nothing, [1] "does not run". */
struct tally {
    uint64_t acquisitions, waits;
    uint64_t polls[2];     /* times that a waiter polled */
    uint64_t failed[2];    /* of these, without success: it slept in the end */
    uint64_t told_at_once; /* before it polled at all */
    uint64_t ns, vain_ns;  /* how long they polled, and how long without success */
    uint64_t after_ns;     /* how long they polled on, after they had been told */
};

/*
 * A lock in one word: 0, or the owner's kernel thread id, and a bit for "somebody sleeps".  Like
 * fw_mutex in what its waiters can know, and simple enough to have every wait counted.
 */
struct lock {
    uint32_t word;
    enum way way;
    uint64_t budget_ns;
};

void lock_take(struct lock *l, struct tally *t);
void lock_release(struct lock *l);

/* Prints what the calls of sys/last_cpu.h cost. */
void show_costs(void);

#endif
