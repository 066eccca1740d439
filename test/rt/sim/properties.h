/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_RT_SIM_PROPERTIES_H
#define FW_TEST_RT_SIM_PROPERTIES_H

#include "play.h"

/*
 * What every schedule has to satisfy, whatever its rules are; looked at in the trace alone.
 *
 * SIM1  Exclusion: nobody gets a lock that another one has not left.
 * SIM2  No deadlock: all jobs end.
 * SIM3  IPCP, PCP: a job is held back by at most one outermost section of less urgent tasks, and by
 *     one more for each of its own sleeps (Sha et al., theorem 12); PIP, where nobody sleeps: by at
 *     most one of each less urgent task.
 * SIM4  While a job could run, none that is less urgent runs outside of sections.
 * SIM5  MPCP, FMLP+: a job outside of sections never runs while one in a section could, and of
 *     those the one runs that has the highest ceiling, or made its request first.  IPCP: while a
 *     job in a section could run, none runs whose priority is its lock's ceiling, or below it.
 * SIM6  MPCP: the most urgent of those that wait when a lock is left gets it next.  FMLP+: the
 *     first.
 * SIM7  IPCP, PCP: being held back takes no longer than the longest section that can do it, as
 *     often as SIM3 allows.  MPCP: at most one less urgent job gets a lock before a job that waits
 *     for it.  FMLP+: each other task at most once.
 * SIM8  No CPU idles while a job could run there.
 *
 * SIM3, SIM4, SIM7, SIM8, and SIM5 for IPCP, say nothing about locks of one CPU whose holders sleep
 * in their sections.
 */
struct sim_finding {
    const char *what; /* NULL: all is well */
    int tick, task;
};

struct sim_finding sim_check(const struct sim_set *set, const struct sim_trace *trace);

#endif
