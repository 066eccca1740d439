/* SPDX-License-Identifier: MIT */
#include "measure/turns.h"

#include "measure/workers.h"

#define SLICE_SECONDS 0.004 /* a tick of 250 Hz; Linux's own slice is at most 3 ms */

double turn_seconds(unsigned tasks)
{
    unsigned cpus = cpus_usable();

    return tasks > cpus ? SLICE_SECONDS * tasks / cpus : 0;
}

static double at_least(double seconds, int turns, unsigned tasks)
{
    double least = turns * turn_seconds(tasks);

    return seconds > least ? seconds : least;
}

double turns_run_seconds(unsigned tasks, double seconds)
{
    return at_least(seconds, TURNS_MEASURED, tasks);
}

double turns_warm_seconds(unsigned tasks, double seconds)
{
    return at_least(seconds, TURNS_WARM, tasks);
}

double turns_start_seconds(unsigned tasks, double seconds)
{
    return at_least(seconds, TURNS_START, tasks);
}
