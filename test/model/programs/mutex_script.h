/* SPDX-License-Identifier: MIT */
#ifndef MODEL_MUTEX_SCRIPT_H
#define MODEL_MUTEX_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "../engine/model.h"

/*
 * Each thread of a mutex program follows a script, a list of pairs of words: how it takes the
 * lock, and how it lets go.
 *
 *   block, spin3, spin, yield, default   lock with that wait policy
 *   adapt                                adaptive, with a small budget
 *   lock                                 fw_mutex_lock
 *   timed, timed-spin, timed-adapt       the same with a deadline (blocking, or never sleeping)
 *   timed-real                           blocking, with a deadline on CLOCK_REALTIME
 *   try                                  trylock
 *   posix, posix-timed                   fw_mutex_lock_posix_
 *   turn, done, go                       nothing; after its turn has come, or it has said `done`
 *   not-held                             nothing: it lets go of what another thread has
 *   held                                 the thread has the lock from the start
 *
 *   unlock, fair                         the two releases; skipped where the lock was not taken
 *   let, let-fair                        fw_mutex_unlock_posix_; by whoever says it
 *   free                                 frees the mutex' memory instead, if all others are gone
 *
 * A program may begin with a word, and may have a counter that is changed by plain loads and
 * stores; then fw_mutex_owner is asked as well.
 */
extern const struct model_hooks mutex_hooks;

#endif
