/* SPDX-License-Identifier: MIT */
#ifndef FW_MUTEX_MOVE_H
#define FW_MUTEX_MOVE_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/mutex.h>

/*
 * Threads that sleep elsewhere are made waiters of a mutex, by somebody else: how a condition
 * variable hands those whom a broadcast has woken over to the mutex.
 *
 *     wakes = fw_mutex_register_(m, n, u)  n more waiters are counted
 *     ... moves n sleepers to fw_mutex_line_(m), and wakes so many of them ...
 *     fw_mutex_look_again_(m)              what happened in between is made good
 *     fw_mutex_lock_registered_(m)         each of the n, when it runs
 *
 * Each of the n calls fw_mutex_lock_registered_ once, also if it was never asleep; none of them
 * does so before the mover has looked again, nor frees the mutex (the mover holds them back).
 */

/* How many of the sleepers the mover has to wake, if it is not a number. */
#define FW_MUTEX_WAKE_ALL UINT32_MAX

/*
 * Counts n more waiters, who sleep.  Returns how many of them to wake: 1 where the mutex is free
 * and nobody is on the way to it, FW_MUTEX_WAKE_ALL where the kernel refuses the fence without
 * which nobody may sleep for long, else 0: whoever holds the mutex, or is on the way, will.  Is one
 * of them a real-time thread?
 */
uint32_t fw_mutex_register_(fw_mutex *m, uint32_t n, bool urgent);

/* Where waiters sleep, with MUTEX_CLASS_NEW (mutex_word.h) as their bits. */
const uint32_t *fw_mutex_line_(const fw_mutex *m);

/*
 * A release between the registration and the move may have woken nobody and gone, believing that
 * somebody comes.  Nothing to do where the mover held the mutex all the time, or where one of the n
 * is awake: it will take the mutex, or clear WAKING before it sleeps.
 */
void fw_mutex_look_again_(fw_mutex *m);

/* Takes the mutex as the waiter that it is counted as. */
void fw_mutex_lock_registered_(fw_mutex *m);

/*
 * Counts one more waiter, the only thread that sleeps on `word`, and wakes it there, but only after
 * the mutex was released: so it does not wake up to find it held.  False, and nothing was done,
 * where the caller does not hold the mutex, or another such wake is put off already.  The waiter
 * calls fw_mutex_lock_registered_, as above.
 *
 * The wake is put off in `late`, which is 0 at first and belongs to the mutex, whoever releases
 * that; or, where `late` is NULL, with the caller, who has to release the mutex itself.
 */
bool fw_mutex_register_held_(fw_mutex *m, const uint32_t *word, uint64_t *late);

/* fw_mutex_unlock_posix_ (mutex_posix.h), and then the wake that was put off in *late. */
void fw_mutex_unlock_late_(fw_mutex *m, uint64_t *late, bool fair);

#endif
