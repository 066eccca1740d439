/* SPDX-License-Identifier: MIT */
#ifndef FW_MUTEX_MOVE_H
#define FW_MUTEX_MOVE_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/mutex.h>

/*
 * Makes threads that sleep elsewhere waiters of a mutex: how a condition variable requeues the
 * waiters of a broadcast to the mutex.
 *
 *     wakes = fw_mutex_register_(m, n, u)  n more waiters are counted
 *     ... requeues n sleepers to fw_mutex_futex_(m), and wakes `wakes` of them ...
 *     fw_mutex_look_again_(m)              repairs what a release in between has missed
 *     fw_mutex_lock_registered_(m)         each of the n, when it runs
 *
 * Each of the n calls fw_mutex_lock_registered_ once, even if it was never asleep; none of them
 * does so before fw_mutex_look_again_, nor frees the mutex (the requeuing thread sees to that).
 */

/* fw_mutex_register_ returns it if all sleepers must be woken. */
#define FW_MUTEX_WAKE_ALL UINT32_MAX

/*
 * Counts n more waiters, which sleep; is_urgent: one of them is a real-time thread.  Returns how
 * many of them to wake: 1 if the mutex is free and no waiter of it is awake; FW_MUTEX_WAKE_ALL if
 * the kernel refuses the fence, without which no waiter may sleep for long; else 0, since the owner
 * or the waiter that is awake will wake them.
 */
uint32_t fw_mutex_register_(fw_mutex *m, uint32_t n, bool urgent);

/* Where waiters sleep, with MUTEX_CLASS_NEW (mutex_word.h) as their bits. */
const uint32_t *fw_mutex_futex_(const fw_mutex *m);

/*
 * A release between registration and requeue may have set WAKING and woken nobody.  Not needed if
 * the caller has held the mutex all the time, or if one of the n is awake: that one will take the
 * mutex, or clear WAKING before it sleeps.
 */
void fw_mutex_look_again_(fw_mutex *m);

/* Takes the mutex; the caller is already counted as a waiter. */
void fw_mutex_lock_registered_(fw_mutex *m);

/*
 * Counts one more waiter, the only thread that sleeps on `word`, and wakes it there, but only after
 * the mutex was released: so it does not wake up to find it held.  False, with nothing done, if the
 * caller does not hold the mutex, or if another wake is deferred already.  The waiter calls
 * fw_mutex_lock_registered_, as above.
 *
 * The wake is deferred in `late`, which starts as 0 and belongs to the mutex, whichever thread
 * releases it; or, if `late` is NULL, in the calling thread, which must then release the mutex.
 */
bool fw_mutex_register_held_(fw_mutex *m, const uint32_t *word, uint64_t *late);

/* fw_mutex_unlock_posix_ (mutex_posix.h), followed by the wake that was deferred in *late. */
void fw_mutex_unlock_and_wake_(fw_mutex *m, uint64_t *late, bool fair);

#endif
