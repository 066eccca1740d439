/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_MUTEX_CHECK_H
#define MODEL_IPC_MUTEX_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/ipc/mutex.h>

#include "../engine/model.h"

/*
 * What is checked of a mutex between processes, whoever holds it.
 *
 * In a section two counters are counted up, one after the other.  So what a dead holder leaves may
 * be half changed: they differ.  Checked:
 *
 *   exclusion        one living thread is inside, from its call's return until it calls unlock
 *   half changed     nobody gets the mutex with 0 while the counters differ
 *   forgotten        nor after a holder's death that nobody was told of, and declared repaired
 *   answer           EOWNERDEAD: somebody died, and it is told who
 *   generation       grows from one who got in to the next
 *   word             one that names a living holder is changed by that one only, except WAITERS
 *                    and the task
 *   lost update      all are alive and done: all sections were counted
 */

/*
 * INSIDE: thread + 1.  OWED: a holder has died since the data were sound last.  TOLD: who is inside
 * was told so.  NAMED: who is inside has its generation, + 1.  GIVEN_UP: 1: somebody is about to,
 * 2: it is done.  DIED_AS, DIED_IN: the last who died inside, and the generation that it had.
 */
enum ipc_mutex_shadow {
    INSIDE,
    OWED,
    TOLD,
    NAMED,
    GIVEN_UP,
    GENERATION,
    FIRST,
    SECOND,
    SECTIONS,
    DIED_AS,
    DIED_IN,
    IPC_MUTEX_SHADOW_WORDS
};

/* For a program's setup, after region_make: the mutex; `repairs`: by a function. */
fw_ipc_mutex *ipc_mutex_make(bool repairs, bool have_joined);

/* The thread, or its task, has got it: what its call has returned. */
void ipc_mutex_enters(unsigned self, int error);

/* After EOWNERDEAD: makes the data sound; and it has said that they are. */
void ipc_mutex_mends(void);
void ipc_mutex_is_sound(void);

/* Counts; and is about to unlock. */
void ipc_mutex_count(void);
void ipc_mutex_leaves(void);

/* For hooks of these names. */
enum model_access ipc_mutex_access(const void *p);
void ipc_mutex_killed(unsigned thread);
void ipc_mutex_changed(unsigned thread, uint64_t addr, uint64_t before);
void ipc_mutex_finished(void);

#endif
