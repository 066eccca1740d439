/* SPDX-License-Identifier: MIT */
#ifndef FW_THREAD_PERMITS_H
#define FW_THREAD_PERMITS_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/deadline.h>
#include <furwock/wait.h>

#include "core/operation.h"
#include "thread/any_source.h"

/*
 * A supply of permits in a 64-bit word, zero when it is empty: what fw_sem and the automatic
 * fw_event have in common.  The word is the first thing in the object (panics name its address);
 * the others that an object has are found relative to it.
 */

/* 32 bits: the word as the next caller will probably find it, if nobody waits. */
#define PERMITS_GUESS_AT 12
#define PERMITS_NO_GUESS 0xffffffffu /* the fast path would fail */

/* 32 bits: adaptive_spin.h. */
#define PERMITS_SPIN_AT 16

/* Takes a permit if there is one that may be taken. */
bool fw_permits_take_(uint64_t *state);

/*
 * Takes a permit if there is one, also one that is reserved: the waiter with the reservation
 * waits for the next.  POSIX wants this of sem_trywait, which fails only if the value is 0.
 */
bool fw_permits_take_any_(uint64_t *state);

/* Takes a permit, or waits for one: 0, ETIMEDOUT, EINVAL. */
int fw_permits_wait_(uint64_t *state, const fw_wait_policy *policy, const fw_deadline *deadline);

/*
 * The same in POSIX mode (mode.h), with the default policy: also EINTR, if a signal handler ran
 * while it slept; and a cancellation point if it sleeps: a cancelled thread is no waiter any more,
 * and has no permit.  No wait fails, and no real-time thread waits at all, while there is a permit,
 * even a reserved one.
 */
int fw_permits_wait_posix_(uint64_t *state, const fw_deadline *deadline);

/* Adds n permits and wakes waiters for them; false if that would make more than max. */
bool fw_permits_post_(uint64_t *state, uint32_t n, uint32_t max);

/* Takes all permits. */
void fw_permits_clear_(uint64_t *state);

uint32_t fw_permits_value_(const uint64_t *state);

/*
 * The steps of a waiter.  Each is one atomic step, and false if it did not take place: the word had
 * changed, or (join) there is a permit.
 *   join          is counted as a waiter; the new word is in *joined
 *   take_waiting  takes a permit, and is not counted any more; there must be one in `seen`
 *   leave         the same without a permit
 */
bool fw_permits_join_(uint64_t *state, uint64_t *joined);
bool fw_permits_take_waiting_(uint64_t *state, uint64_t seen);
bool fw_permits_leave_(uint64_t *state, uint64_t seen);

/*
 * --- Operations (core/operation.h) that wait for a permit: permits_queue.c ----------------------
 *
 * Takes a permit for the operation, which is not queued yet (true), or queues it.  It takes none
 * that a blocked thread is to have.
 */
bool fw_permits_enqueue_(uint64_t *state, fw_await *op);

/* Inside the bucket: an operation has been taken out of the queue.  Leaves the bucket. */
void fw_permits_dequeued_(struct fw_waitqueue_ *bucket, fw_await *op);

/* fw_permits_post_, while operations are queued. */
bool fw_permits_post_queued_(uint64_t *state, uint32_t n, uint32_t max);

/* A thread leaves, seen -> left, and a permit for an operation.  False: the word has changed. */
bool fw_permits_leave_queued_(uint64_t *state, uint64_t seen, uint64_t left);

/*
 * Inside the bucket: adds permits, and, if it empties the queue, says so; else no more than there
 * are threads that lack one.  Returns how many it has not added.
 */
uint32_t fw_permits_add_(uint64_t *state, uint32_t n, bool empties);

/* The three calls of any_source.h. */
bool fw_permits_any_try_(uint64_t *state, struct fw_any_registration_ *p);
bool fw_permits_any_prepare_(uint64_t *state, struct fw_any_registration_ *p, fw_futex_any *sleep);
void fw_permits_any_leave_(uint64_t *state, struct fw_any_registration_ *p);

#endif
