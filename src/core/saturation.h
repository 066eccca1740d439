/* SPDX-License-Identifier: MIT */
#ifndef FW_CORE_SATURATION_H
#define FW_CORE_SATURATION_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Saturated locks.  A lock is saturated if the threads that use it hardly do anything else: each
 * asks for it again as soon as it has released it.  More threads then do not get more done; a
 * waiter on another CPU that takes the lock at the first release only moves its data there, for a
 * few sections at most.  So threads take turns instead: one that has had the lock, and finds it
 * taken, sleeps for a while before it asks again (it rests), and leaves the lock and its cache
 * lines to the others.  doc/design/mutex.md, "Saturated locks", has the figures.
 *
 * Whether a lock is saturated is learnt: a thread that waits for it and sees it become free leaves
 * it to the last owner for a moment now and then, and looks whether that comes back for it.  What
 * the process's threads have learnt about the locks they met last is in a small table.  All of it
 * is guesses: if they are wrong, or lost to another thread's, time is lost and nothing else.
 */

/* A thread that waits for the lock sees it become free: shall it find out, before it takes it? */
bool fw_saturation_asks_(const void *lock);

/* It has: was the last owner back at once? */
void fw_saturation_learns_(const void *lock, bool came_back);

/* The caller has taken the lock after it had found it taken. */
void fw_saturation_taken_(const void *lock);

/*
 * The caller has found the lock taken.  How long it shall rest, in nanoseconds; 0: not at all,
 * because the lock is not saturated, or the caller has not had it lately.
 */
uint64_t fw_saturation_rest_(const void *lock);

/* It has rested: did nobody use the lock when it came back? */
void fw_saturation_rested_(const void *lock, bool was_idle);

/* The table: zero at first. */
#define FW_SATURATION_BYTES_ 1024u
void *fw_saturation_table_(void);

#endif
