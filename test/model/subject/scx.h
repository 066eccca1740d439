/* SPDX-License-Identifier: MIT */
#ifndef MODEL_SUBJECT_SCX_H
#define MODEL_SUBJECT_SCX_H

#include "rt.h"

#include "rt/scx/user.h"

/*
 * A stand-in for the scheduler of tier B.  It decides by rt/decide.h, and keeps the pages as the
 * shipped one does (bpf/sched/), whose text is made for the kernel's verifier and is not compiled
 * here.  What it does at a time is one step: it has a lock of
 * its own around what concerns several CPUs, and does not run beside the tasks of one.
 *
 * Threads that are no tasks stand for the rest of the machine: one for each CPU, which lets it
 * decide anew at any moment; and one that brings the scheduler's end, at any moment.  Meanwhile
 * tasks of a CPU run in turn, whatever they wait for (the kernel's bypass mode).  A task that the
 * scheduler has let go, and after the end each one, runs at any time.
 */
struct scx_ground {
    struct fw_rt_scx_state scx;
    struct fw_rt_scx_page pages[FW_RT_TASKS];
    struct fw_rt_scx_shared shared;
    struct fw_rt_state group;    /* as the library has it */
    uint64_t on_cpu[FW_RT_CPUS]; /* the slot, plus 1 */
    uint64_t is_queued, died_locks, reaped,
        let_go; /* a bit for each slot; of died: for each lock */
    uint64_t is_ending;
};

extern struct scx_ground *scx_ground;

/* The CPU decides who runs. */
void scx_decide(uint32_t cpu);

/* A task that waits is let through, to look, or to die. */
void scx_let_through(uint32_t cpu);

/* Learns of a dead task of the CPU; false: there is none. */
bool scx_reap_one(uint32_t cpu);

/* SCX2: the task is an ordinary thread from now on. */
void scx_let_go(uint32_t slot);

/* May the task make a step? */
bool scx_may_run(unsigned thread);

#endif
