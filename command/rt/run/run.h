/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_RT_RUN_RUN_H
#define FW_COMMAND_RT_RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command/rt/taskset.h"

/*
 * furwock rt run: executes a task set, with a thread for each task, and finds out from what they
 * have written down who was blocked for how long.
 *
 * A job executes by looking at the clock over and over: where two looks lie apart by more than
 * RUN_GAP_NS, it has not executed in between.  So the threads know without the kernel's help when
 * each of them had its CPU; and what interrupts or a hypervisor take away is nobody's execution.
 */

/* Two looks lie less than 0.1 us apart; a switch to another thread and back takes more than 2. */
#define RUN_GAP_NS 2000u

enum run_kind {
    RUN_RELEASE, /* of a job: when it was due */
    RUN_START,   /* has its CPU from now on */
    RUN_STOP,    /* no longer */
    RUN_ASK,     /* for a lock */
    RUN_QUEUE,   /* has found it taken, and waits for it from now on */
    RUN_GET,     /* the lock */
    RUN_LEAVE,   /* the section: begins to unlock */
    RUN_HAND,    /* has handed the lock on, and woken the next owner */
    RUN_LEFT,    /* has unlocked */
    RUN_SLEEP,   /* of its own accord */
    RUN_WAKE,    /* when that was due to end */
    RUN_HELD,    /* tier B: the kernel put it to sleep, as for a page fault */
    RUN_WOKEN,   /* tier B: the scheduler was told that it could run, after RELEASE, WAKE, HELD */
    RUN_END,     /* of the job */
    RUN_STALL,   /* of a CPU, not of a task: it stands still from now on (stall.h) */
    RUN_RESUME   /* no longer */
};

struct run_event {
    uint64_t ns; /* CLOCK_MONOTONIC */
    uint32_t kind;
    int lock; /* TASKSET_NONE: none; RELEASE, WAKE: RUN_UNWOKEN where RUN_WOKEN is to come */
};

enum { RUN_UNWOKEN = -2 };

/* What one task has written down, in the order in which it was. */
struct run_log {
    struct run_event *event;
    size_t count, capacity;
    bool is_full;                    /* the end is missing */
    uint64_t jobs, misses, response; /* the longest */
};

/* A CPU of the set. */
struct run_cpu {
    int cpu;
    struct run_log log;        /* RUN_STALL and RUN_RESUME */
    uint64_t watched, stalled; /* ns */
};

struct run_monitor;

/* rt_run_round fills in the logs, one for each task, and one for each CPU. */
struct run_round {
    const struct taskset *set;
    int protocol, tier;
    uint64_t jobs;  /* of all tasks together, about */
    uint64_t stall; /* ns: a CPU that dispatches later than that stands still */
    struct run_log *log;
    struct run_cpu *cpu;
    size_t cpus;
    int unwatched; /* why stalls could not be seen, an errno value; 0: they were */
    struct run_monitor *monitor;
    char why[300]; /* after an error */
};

/* False: it could not be done, and `why` says why not. */
bool rt_run_round(struct run_round *round);
void rt_run_forget(struct run_round *round); /* the logs */

/* A job that was blocked for longer than the limit; ns. */
struct run_above {
    uint64_t release, end, blocking, lost, late, held;
};

enum { RUN_ABOVE_KEPT = 8 };

/* Of a task's jobs, all rounds together. */
struct run_result {
    uint64_t jobs, misses;
    uint64_t response;      /* the longest, ns */
    uint64_t blocking, sum; /* the longest, and that of all */
    uint64_t lost;          /* the longest: nobody in question executed */
    uint64_t lost_sum;      /* of all */
    uint64_t present;       /* of all: from release to end, without sleeps */
    uint64_t late, held;    /* tier B, the longest: not woken yet, when due or by RUN_HELD */
    uint64_t above;         /* jobs that were blocked for longer than `limit` */
    uint64_t limit;
    struct run_above kept[RUN_ABOVE_KEPT]; /* the first of those */
};

/* Adds what the round's logs say to the results of the set's tasks. */
void rt_run_evaluate(const struct run_round *round, struct run_result *result);

#endif
