/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_RWLOCK_TASKS_H
#define MODEL_IPC_RWLOCK_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/deadline.h>
#include <furwock/ipc/rwlock.h>

#include "ipc/region/participant.h"

/*
 * What a process does for its tasks that read and write a lock of a region: as
 * src/await/region_rwlock.c, region_shares.c and watch.c do.  The lock's side of it is the shipped
 * one, src/ipc/rwlock_task.c.
 *
 * A loop sleeps on the word; and for as long as it waits for the first re-check interval on nothing
 * else (AWI3), unless it is said to be past that.
 */
struct ipc_rwlock_tasks {
    bool are_together; /* threads 0 and 1 are loops of one process, of which the tasks of 0 read */
    bool are_late;
    bool has_repair; /* no reader is told of a death */
};
void ipc_rwlock_tasks_make(fw_ipc_rwlock *lock, const struct ipc_rwlock_tasks *how);

/* For the hook `begin`, of a thread that is a loop. */
void ipc_rwlock_tasks_begin(void);

/* By this name tasks hold it. */
struct fw_ipc_me_ ipc_rwlock_tasks_agent(unsigned self);

/* A task comes in, and stays; all that have done so leave. */
void ipc_rwlock_tasks_hold(unsigned self);
void ipc_rwlock_tasks_leave(unsigned self);

/* One asks to come in; those that have asked are waited for, and are cancelled. */
void ipc_rwlock_tasks_ask(unsigned self);
void ipc_rwlock_tasks_serve(unsigned self, const fw_deadline *deadline);
void ipc_rwlock_tasks_drop(unsigned self);

/*
 * A task gets it for writing: 0, EOWNERDEAD.  ETIMEDOUT: the deadline is over, or `now`, and others
 * are inside.
 */
int ipc_rwlock_tasks_write(unsigned self, const fw_deadline *deadline, bool now);

#endif
