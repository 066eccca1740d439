/* SPDX-License-Identifier: MIT */
#ifndef FW_THREAD_COND_POSIX_H
#define FW_THREAD_COND_POSIX_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/deadline.h>
#include <furwock/cond.h>
#include <furwock/mutex.h>

/*
 * An fw_cond in POSIX mode (mode.h): used with mutexes of any kind, also with several at once.
 *
 * The waiter says how its mutex is released and locked.  If that is an fw_mutex, waiters are
 * requeued to it as in cond.c; if it is anything else, or if the waiters before it have another
 * fw_mutex, the waiter is *non-requeueable*: it is single, is woken, never moved, and locks its
 * mutex itself.
 */
struct fw_cond_mutex_ {
    /* 0, or an error: then the call returns it, and did not wait. */
    int (*unlock)(void *mutex);

    /* What it returns the call returns, if that is not 0.  is_counted: by
     * fw_mutex_lock_registered_, which cannot fail. */
    int (*lock)(void *mutex, bool is_counted);
    void *mutex;

    /* The fw_mutex; NULL: non-requeueable.  If there is one, unlock cannot fail, and is
     * fw_mutex_unlock_and_wake_ with the same `late` (mutex_requeue.h). */
    fw_mutex *moves;
    uint64_t *late;
};

/*
 * Releases the mutex, waits, and locks it again.  0, ETIMEDOUT or EINVAL as fw_cond_timedwait, or
 * the error of unlock or lock.  A cancellation point: the cleanup locks the mutex.
 */
int fw_cond_wait_posix_(fw_cond *c, const struct fw_cond_mutex_ *how, const fw_deadline *deadline);

/* Waits until the object's queue is empty, and nobody is inside of its bucket (waitqueue.h). */
void fw_cond_await_nobody_(const void *object);

#endif
