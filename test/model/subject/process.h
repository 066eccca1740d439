/* SPDX-License-Identifier: MIT */
#ifndef MODEL_PROCESS_H
#define MODEL_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/await.h>

#include "../posted.h"
#include "ipc/region/participant.h"

/*
 * What a process has for itself in programs in which each model thread is one, with a loop: memory,
 * an agent, an engine, descriptors.  All of it lies in a section that is brought and taken away
 * with the thread (FW_OF_PROCESS_), so that nobody else sees it, and it goes when the thread is
 * killed.
 *
 * The agent of a process is its thread's own participant of the region.  The engine has posted
 * waits in the kernel (posted.h).  A loop sleeps on two events, the one of its inbox and its
 * engine's.
 */
extern uint8_t __start_model_process_variables[], __stop_model_process_variables[];

/* For a program's setup: makes what the processes have in the kernel. */
void process_make(void);

/* Before any program's: there are none. */
void process_forget(void);

/* Set by a program: the agents of processes are not their threads' own participants, but these. */
extern struct fw_ipc_me_ (*process_agent_of)(unsigned thread);

/* A step: another thread may do something to it. */
bool process_is_shared(const void *p);

/* The word of an event. */
uint64_t process_event(int event);

void *subject_process_calloc(size_t n, size_t size);
void subject_process_free(void *p);

/* A and B are loops of one process, and are not killed. */
#define PROCESS_TOGETHER .together = 2, .buckets = 1, .immortal = 3

/* For the hook `begin` of a thread that has a loop, which it makes after that. */
void process_begin(void);

/*
 * The loop's sleeps: an interval of all its watches ends when a sleep does so without a wake.
 * `is_late`: the first one of each has ended before it sleeps.
 */
void process_has_loop(fw_loop *loop, bool is_late);

/* Its end: nothing is used any more (AGT1), and no memory is left. */
void process_check_end(void);

#endif
