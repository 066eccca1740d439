/* SPDX-License-Identifier: MIT */
#ifndef FW_THREAD_MUTEX_QUEUE_H
#define FW_THREAD_MUTEX_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/mutex.h>

#include "core/waitqueue.h"

/*
 * The operations that wait for an fw_mutex, in its bucket.  States and invariants: mutex_queue.c.
 */

typedef struct fw_await fw_await; /* furwock/await.h */

/* The release of mutex.c by the thread or task of that identity, whoever calls. */
void fw_mutex_unlock_as_(fw_mutex *m, uint32_t id);

/*
 * Releases the mutex, which the caller holds, and in whose word QUEUED was seen: grants it to an
 * operation, or serves a thread as any release does.  Makes the wake.
 */
void fw_mutex_release_to_queue_(fw_mutex *m, bool fair);

/*
 * Inside the bucket of the mutex: takes it for the operation's task, if it is free (true); else
 * enqueues the operation, whose object_ is the mutex.
 */
bool fw_mutex_join_queue_(struct fw_waitqueue_ *bucket, fw_mutex *m, fw_await *op);

/* Inside the bucket: an operation was removed that was not granted the mutex. */
void fw_mutex_left_queue_(struct fw_waitqueue_ *bucket, fw_mutex *m, const fw_await *op);

#endif
