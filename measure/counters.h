/* SPDX-License-Identifier: MIT */
#ifndef FW_MEASURE_COUNTERS_H
#define FW_MEASURE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What a piece of work cost: context switches and CPU time (always known), system calls, calls of
 * membarrier(2) among them, cycles and instructions (where the kernel lets us count them: each has
 * its `has_`).
 *
 * Counted are the calling thread and every thread and process that it starts after counters_open.
 *
 *     struct counters *c = counters_open();
 *     struct counts before, after;
 *     counters_read(c, &before);
 *     ... work, threads joined, children reaped ...
 *     counters_read(c, &after);
 *     counts_subtract(&after, &before);
 *
 * Threads have to be joined, and children reaped, before their switches and time are seen.
 */
struct counts {
    uint64_t voluntary;   /* context switches: went to sleep */
    uint64_t involuntary; /* context switches: preempted */
    uint64_t cpu_ns;
    uint64_t system_calls;
    uint64_t fences; /* membarrier: each interrupts the CPUs that run the process */
    uint64_t cycles;
    uint64_t instructions;
    bool has_system_calls;
    bool has_fences;
    bool has_cycles;
};

struct counters;

/* Never fails for want of permission: what cannot be counted is left out.  NULL: no memory. */
struct counters *counters_open(void);
void counters_read(const struct counters *c, struct counts *out);
void counters_close(struct counters *c);

/* Why system calls, or cycles, are not counted; "" where they are. */
const char *counters_no_system_calls(const struct counters *c);
const char *counters_no_cycles(const struct counters *c);

void counts_subtract(struct counts *from, const struct counts *what);

#endif
