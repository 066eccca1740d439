/* SPDX-License-Identifier: MIT */
#ifndef FW_MEASURE_TURNS_H
#define FW_MEASURE_TURNS_H

/*
 * How long a run has to last: several turns of the scheduler.
 *
 * Where tasks outnumber the CPUs, each has the CPU for a slice, and then all the others have it.
 * In less than a turn only some of the tasks do anything at all, and the order of the locks depends
 * on which: with 100 threads on 2 CPUs, runs of 0.25 s ranked them otherwise than runs of 1 s.
 * (bench/ulockflex/flex/turns.py has the same numbers.)
 */
enum {
    TURNS_MEASURED = 4, /* how many a run lasts */
    TURNS_WARM = 2,     /* before it is measured: caches fill, queues form */
    TURNS_START = 5     /* by then each task should have had the CPU once */
};

/* Until each of the tasks has had the CPU for a slice; 0 where each has a CPU. */
double turn_seconds(unsigned tasks);

/* What a run and its warm-up last, if they would last `seconds` with few tasks. */
double turns_run_seconds(unsigned tasks, double seconds);
double turns_warm_seconds(unsigned tasks, double seconds);

/* The longest to wait for the first run of each task, if it would be `seconds` with few. */
double turns_start_seconds(unsigned tasks, double seconds);

#endif
