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
 */
struct mutex_script {
    const char *threads[MODEL_MAX_THREADS];
    uint64_t initial; /* the word at the start */
    bool counts; /* a counter is changed by plain loads and stores, and fw_mutex_owner is asked */
};

/* Members of struct model_program; arg is the struct mutex_script. */
void script_setup(const void *arg);
void script_thread(unsigned self, const void *arg);
void script_handler(void);
void script_finished(void);

#endif
