/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_CALIBRATE_CALIBRATE_H
#define FW_COMMAND_CALIBRATE_CALIBRATE_H

#include <stdbool.h>

#include "command/print/print.h"
#include "measure/machine.h"

/*
 * What `furwock calibrate` measures, after Gustedt, "Futex based locks for C11's generic atomics"
 * (INRIA RR-8818), section 3.2.  All in nanoseconds; what needs two CPUs is NAN where there is one.
 */
enum quantity {
    FAILED_WAIT,    /* a futex wait that fails: EAGAIN */
    SLEEP_SWITCH,   /* a thread goes to sleep, and another one starts, on the same CPU */
    LOOK_ALONE,     /* one look of the spinning loop, with its pauses; nobody else runs */
    LOOK_PARALLEL,  /* one look, while all CPUs spin on the same word; the slowest of them */
    LOOK_DISTURBED, /* one look, while on one CPU operation follows operation under that lock */
    WAKE_ELSEWHERE, /* from a wake until the sleeper runs, on another CPU */
    QUANTITIES
};

/* A median and its 95 % interval, which no distribution is assumed for. */
struct spread {
    double median, low, high;
};

/* One round of measurements. */
struct round {
    double ns[QUANTITIES];
};

struct calibration {
    /* the input */
    struct machine machine;
    char cpu_list[256];
    unsigned cpus; /* P */
    double seconds_wanted;

    /* the rounds */
    struct round *rounds;
    unsigned n;
    double seconds;

    /* what follows */
    struct spread ns[QUANTITIES];
    struct spread t_fail;
    struct spread efficiency;  /* E; 1 where there is one CPU */
    struct spread parallelism; /* P * E */
    struct spread budget;      /* 0.9 * E * t_fail; 0 where it is better not to spin */
    double budget_looks;
    unsigned pauses;         /* before each look: FW_WORD_LOCK_PAUSES_ */
    bool spins;              /* false: Remark 3.1 */
    unsigned built_in_looks; /* FW_WORD_LOCK_LOOKS_ */
    struct spread built_in;  /* how long they take here */
    const char *built_in_is; /* "within", "above", or "far below" the budget */
};

/* The paper's factor that "always guarantees liveness". */
#define CALIBRATE_FACTOR 0.9

/*
 * Below this P-hat it is better not to spin (Remark 3.1: "close to one").  At 1.1 all CPUs
 * together, while they spin, do a tenth more than one of them.
 */
#define CALIBRATE_PARALLELISM_LEAST 1.1

/* --- measure.c: false, after a line on standard error, where it cannot be done. */
bool calibrate_round(unsigned cpus, unsigned turn, struct round *out);

/* --- conclude.c */
void calibrate_conclude(struct calibration *c);

/* --- show.c */
void calibrate_print(const struct printer *p, const struct calibration *c);

#endif
