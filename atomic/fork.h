/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_FORK_H
#define FW_ATOMIC_FORK_H

#include <stdbool.h>

#include "word_lock.h"

/*
 * What fork(3) calls.  Before the fork all stripes are taken, so that the child gets whole objects
 * and no stripe is held by a thread that the child does not have; afterwards both release them.
 *
 * Other fork handlers may run in between.  What they do must not wait forever, so a stripe that is
 * held for the fork is given up: at once to the forking thread, and after FW_FORK_RECHECKS_
 * re-check intervals to any other that wants it (one of those handlers may wait for a mutex that it
 * holds).
 *
 * A stripe that cannot be had within FW_FORK_PATIENCE_NS_ in all, or was given up, is given to the
 * child as new: what was being written is perhaps half written in the child, where its holder is
 * not; or the fork was called by a signal handler that interrupted an operation, which the child
 * will finish after the handler.
 */
#define FW_FORK_PATIENCE_NS_ 20000000u
#define FW_FORK_RECHECKS_ 100u

/* The handlers; registered before others, as far as possible. */
void fw_fork_prepare_(void);
void fw_fork_parent_(void);
void fw_fork_child_(void);

/*
 * For a thread that finds the lock held: is it held for a fork, and given up to the caller?  Then
 * the caller has it.  `rechecks`: for how many re-check intervals it has slept.
 */
bool fw_fork_gives_(const fw_word_lock *l, unsigned rechecks);

/* Is a fork under way?  Then no thread sleeps without an end. */
bool fw_fork_is_on_(void);

#endif
