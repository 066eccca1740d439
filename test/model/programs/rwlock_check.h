/* SPDX-License-Identifier: MIT */
#ifndef MODEL_RWLOCK_CHECK_H
#define MODEL_RWLOCK_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/rwlock.h>

#include "../engine/model.h"

/*
 * What must hold of a read-write lock at every change of its word, and of the calls as their users
 * see them:
 *
 *  - a writer is alone; one upgradable reader at most; from the return of the call that takes the
 *    lock until the release is visible;
 *  - nothing is written between an upgradable reader's look and its upgrade, nor between a writer's
 *    last look and its downgrade (versions);
 *  - flags are changed inside the bucket only, and a writer never has readers beside it (RW6);
 *  - past a writer in the queue: in a fair lock, readers do not become more while a writer is
 *    queued, but by a writer's release or where the lock is free and nobody is coming (RW4); in one
 *    that prefers writers, only by a writer's downgrade;
 *  - one phase: where readers do not go first, the last of them hands the lock to a queued writer;
 *  - two writers: in a fair lock, a writer's release lets in all who wait to read.
 */
enum rwlock_mode { RWLOCK_NONE, RWLOCK_READS, RWLOCK_UPREADS, RWLOCK_WRITES };

fw_rwlock *rwlock_check_setup(fw_rwlock_kind kind, uint64_t state, uint64_t line);

/* For the hooks. */
void rwlock_check_changed(unsigned thread, uint64_t addr, uint64_t before);
void rwlock_check_finished(void);

/* Called by the threads' scripts: the thread has the lock so; it is about to change to that. */
void rwlock_check_has(unsigned self, enum rwlock_mode mode);
void rwlock_check_changes(unsigned self, enum rwlock_mode mode);
enum rwlock_mode rwlock_check_mode(unsigned self);

/* A call is over, in which the thread may have been queued. */
void rwlock_check_back(unsigned self);

/* True for the last of all threads that says so. */
bool rwlock_check_is_last(unsigned self);

/*
 * rwlock_task.c: takes the lock by an operation, whose task has the thread's identity.  With
 * cancels, it cancels at once: EBUSY, if it was not granted before.
 */
void rwlock_task_setup(void);
int rwlock_task_take(fw_rwlock *l, unsigned self, enum rwlock_mode mode, bool cancels);

#endif
