/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_RT_SIM_PROPERTIES_H
#define FW_TEST_RT_SIM_PROPERTIES_H

#include "play.h"

/*
 * What every schedule has to satisfy, whatever its rules are; looked at in the trace alone.
 *
 * P1  Exclusion: nobody gets a lock that another one has not left.
 * P2  No deadlock: all jobs end.
 * P3  IPCP, PCP: a job is held back by at most one outermost section of less urgent tasks, and by
 *     one more for each of its own sleeps (Sha et al., theorem 12); PIP, where nobody sleeps: by at
 *     most one of each less urgent task.
 * P4  While a job could run, none that is less urgent runs outside of sections.
 * P5  MPCP, FMLP+: a job outside of sections never runs while one in a section could, and of those
 *     the one runs that has the highest ceiling, or made its request first.  IPCP: while a job
 *     in a section could run, none runs whose priority is its lock's ceiling, or below it.
 * P6  MPCP: the most urgent of those that wait when a lock is left gets it next.  FMLP+: the first.
 * P7  IPCP, PCP: being held back takes no longer than the longest section that can do it, as often
 *     as P3 allows.  MPCP: at most one less urgent job gets a lock before a job that waits for it.
 *     FMLP+: each other task at most once.
 * P8  No CPU idles while a job could run there.
 *
 * P3, P4, P7, P8, and P5 for IPCP, say nothing about locks of one CPU whose holders sleep in their
 * sections.
 */
struct sim_finding {
    const char *what; /* NULL: all is well */
    int tick, task;
};

struct sim_finding sim_check(const struct sim_set *set, const struct sim_trace *trace);

#endif
