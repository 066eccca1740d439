/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_FORK_H
#define FW_ATOMIC_FORK_H

#include <stdbool.h>

#include "word_lock.h"

/*
 * What fork(3) calls.  Before the fork all stripes are taken, so that the child gets whole objects
 * and nobody holds a stripe whom the child does not have; afterwards both give them back.
 *
 * Others' handlers may run in between.  What they do must not wait for ever, so a stripe that is
 * held for the fork is given up: at once to the forking thread, and after FW_FORK_RECHECKS_ naps to
 * any other that wants it (whose mutex one of those handlers may be waiting for).
 *
 * A stripe that cannot be had within FW_FORK_PATIENCE_NS_ in all, or was given up, is given to the
 * child as new: what was being written is perhaps half written in the child, where its holder is
 * not; or the fork was called by a signal handler that interrupted an operation, which the child
 * will finish after the handler.
 */
#define FW_FORK_PATIENCE_NS_ 20000000u
#define FW_FORK_RECHECKS_ 100u

/* The handlers; registered before others', as far as that can be had. */
void fw_fork_prepare_(void);
void fw_fork_parent_(void);
void fw_fork_child_(void);

/*
 * For one who wants the lock and finds it held: is it held for a fork, and given up to the caller?
 * Then the caller has it.  `naps`: how many it has slept.
 */
bool fw_fork_gives_(const fw_word_lock *l, unsigned naps);

/* Is a fork under way?  Then nobody sleeps without an end. */
bool fw_fork_is_on_(void);

#endif
