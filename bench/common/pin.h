/* SPDX-License-Identifier: MIT */
#ifndef FW_BENCH_PIN_H
#define FW_BENCH_PIN_H

/*
 * --pin for programs that start their threads or processes by themselves: the front end says so in
 * the environment (front/cli.py).  Needs the C library only, and _GNU_SOURCE.
 */
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#define PIN_ENVIRONMENT "FURWOCK_BENCH_PIN"

static inline bool pin_is_wanted(void)
{
    return getenv(PIN_ENVIRONMENT) != NULL;
}

/* The calling thread stays on the i-th of the CPUs that it may use, in turns, if that is wanted. */
static inline void pin_if_wanted(unsigned i)
{
    cpu_set_t usable, one;

    if (!pin_is_wanted() || sched_getaffinity(0, sizeof usable, &usable) != 0)
        return;
    i %= (unsigned)CPU_COUNT(&usable);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &usable) && i-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
    }
}

#endif
