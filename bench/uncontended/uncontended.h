/* SPDX-License-Identifier: MIT */
#ifndef FW_BENCH_UNCONTENDED_H
#define FW_BENCH_UNCONTENDED_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "adapter.h"
#include "counters.h"

/* One lock (or reference loop) and what was measured of it. */
struct contestant {
    const struct adapter *lock;
    void *memory;
    uint64_t pairs;  /* lock and unlock, per sample */
    double *samples; /* nanoseconds per pair, one of each round */
    uint64_t counted_pairs;
    uint64_t cycles;
    uint64_t instructions;
};

struct contest {
    struct contestant *contestants;
    size_t n;
    size_t yardstick;  /* whose time is 1 */
    unsigned rounds;   /* wanted */
    unsigned finished; /* done */
    struct counters *counters;
};

/* Loops that are no locks: the price of the atomic instructions alone, and of the loop alone. */
extern const struct adapter reference_cas_exchange, reference_empty;

/* Set by an interrupt: the round under way is dropped, the others count. */
extern volatile sig_atomic_t contest_interrupted;

/* 0, or -1 with a line on standard error. */
int contest_prepare(struct contest *c, const struct adapter *const *locks, size_t n,
                    unsigned rounds);
void contest_run(struct contest *c, bool show_progress);
void contest_free(struct contest *c);

void result_print(const struct contest *c, FILE *out);

/* Writes to a file that is open already.  0, or -1 with errno. */
int result_write_json(const struct contest *c, int fd);

#endif
