/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_RT_RUN_STALL_H
#define FW_COMMAND_RT_RUN_STALL_H

#include "run.h"

/*
 * The stall monitor of furwock rt run: which CPU stood still, and when.
 *
 * On each CPU of the set there is a thread that goes before all others there: SCHED_FIFO, with the
 * highest priority that the user may have.  It sleeps until some time.  If it is not dispatched
 * then, no task could have been: a hypervisor has the CPU, or an interrupt, the kernel, a thread
 * of priority 99.  So from that time on, until it is dispatched, the CPU stands still, except for
 * what the logs of its tasks say was executed (which rt_run_evaluate sees to: the timer may be late
 * on a CPU that works).
 *
 * That is a lower bound.  When a stall began before the time of the next look, nobody knows since
 * when; and one that fits between two looks is not seen.  A thread that only takes what the tasks
 * leave over would see more while they leave something.  But it could not tell a CPU that stands
 * still from one that other threads use, which a task would have preempted.
 *
 * A look costs its CPU two switches, 20 us in a virtual machine: 4 % of the time at one each
 * RUN_LOOK_NS.  On a CPU that works it is dispatched 14 to 23 us late there (median), 34 to 57 us
 * in one of a hundred looks, and 67 to 150 us in one of a thousand.  Later than round->stall is a
 * stall: RUN_STALL_NS, or what suits a machine that is slower, as an emulator is.
 */
#define RUN_LOOK_NS 500000u
#define RUN_STALL_NS 50000u

/* Starts the threads, and makes round->cpu; why there are none is in round->unwatched. */
void rt_run_watch_begin(struct run_round *round);

/*
 * From the first release on, until jobs end, stalls are part of the noise.  Before that threads are
 * made and their memory is locked, and the kernel takes whole CPUs for it.
 */
void rt_run_watch_count(struct run_round *round, bool counts);

/* Ends them. */
void rt_run_watch_end(struct run_round *round);

#endif
