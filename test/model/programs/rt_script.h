/* SPDX-License-Identifier: MIT */
#ifndef MODEL_RT_SCRIPT_H
#define MODEL_RT_SCRIPT_H

#include "programs.h"
#include "rt_calls.h"
#include "script.h"

/*
 * The scripts of the real-time locks' programs: what each task does, a letter for each act.
 *
 *   j     waits for its next job, then lets go first who may (fw_rt_resumed)
 *   s     sleeps by itself for a while, and tells nobody; whose first act it is, is no task
 *   a b   locks that lock           A B   unlocks it
 *   c d   tries to                  C D   unlocks it if it has it
 *   .     runs
 *   -     the same, and does not know of sections: it has woken up by itself
 *   (     begins, as `as` says, and opens the locks that it uses; whose first act it is, is no
 *         task before
 *   )     ends
 *
 * The state is as a group has it when all tasks have opened the locks that they use.
 */
struct rt_script {
    fw_rt_protocol protocol;
    unsigned moved; /* bit n: task n is not where it belongs, but on a CPU of its own */
    bool unnoticed; /* it was moved since it looked where it is, each time */
    bool shared;    /* the group is one of several processes: no plain release */
    bool claims;    /* restartable sequences work (src/sys/claim.h) */
    bool looks;     /* others may come in between any two looks of a decision */
    const struct model_task *as; /* what those begin as that begin, and the others are; or NULL */
};

extern struct fw_rt_state *rt_state;
extern struct fw_rt_group *rt_group;

/* The record of the thread's task; NULL: it is none. */
struct fw_rt_task_record *rt_cell_of(unsigned thread);

/* The thread of that record's task. */
unsigned rt_thread_in(unsigned slot);
extern const struct rt_script *rt_script;

/* Of locks that follow the protocol. */
uint32_t rt_kind_of(fw_rt_protocol protocol);

/*
 * With tasks from the start; the same, and the kernel marks their records when they die; with those
 * that begin and end.
 */
extern const struct model_hooks rt_hooks, rt_marked_hooks, rt_begin_hooks;

#endif
