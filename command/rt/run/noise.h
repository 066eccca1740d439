/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_RT_RUN_NOISE_H
#define FW_COMMAND_RT_RUN_NOISE_H

#include "command/print/print.h"
#include "run.h"

/*
 * What the machine did to a run: all CPUs of the set, all rounds and all jobs together.  A run is
 * valid while the CPUs stood still, and were stolen by a hypervisor, for at most `most` percent of
 * the time each: then what was measured is the protocols', and not the machine's.  Lost time is no
 * part of that: switches and wake-ups are lost, too, on a quiet machine.
 */
struct run_noise {
    double most;
    uint64_t stall;            /* ns: only longer ones were seen */
    uint64_t watched, stalled; /* ns, by the stall monitor (stall.h) */
    int unwatched;             /* why there was none, an errno value; 0: there was */
    uint64_t ticks, stolen;    /* of the clock of /proc/stat */
    uint64_t present, lost;    /* ns, of jobs: from release to end without sleeps; part of that */
};

void rt_run_noise_begin(struct run_noise *noise, const struct taskset *set);
void rt_run_noise_add(struct run_noise *noise, const struct run_round *round);
void rt_run_noise_end(struct run_noise *noise, const struct taskset *set,
                      const struct run_result *result);

/* False: a line on standard error says why not. */
bool rt_run_noise_is_valid(const struct run_noise *noise);

void rt_run_noise_print(const struct printer *whole, const struct run_noise *noise);

#endif
