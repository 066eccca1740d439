/* SPDX-License-Identifier: MIT */
#ifndef MODEL_COND_CHECK_H
#define MODEL_COND_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/cond.h>

#include "../engine/model.h"

/*
 * What must hold of a condition variable and its mutex.
 *
 * A wait has begun when its release of the mutex is visible.  Each signal remembers who was waiting
 * when it was called, and who began before it returned.  When nothing happens any more, of any k
 * signals at least k of the former must have been woken (or as many as there were: those do not
 * count who have given up or were cancelled), or of the latter instead, and of a broadcast all.  So
 * a wake is missed that went to somebody who came later, or to a waiter who gave up.
 *
 * Where threads have priorities: of those that were queued when a signal was given under the
 * mutex, the most urgent one is served; and those who slept when a broadcast was given get the
 * mutex one after the other, the most urgent one first, if it was given under the mutex and as long
 * as nobody else takes that in between; and in any case nobody while a more urgent one still
 * sleeps.
 */
enum wait_end { WAIT_WOKEN, WAIT_TIMED_OUT, WAIT_CANCELLED };

struct cond_check_options {
    uint64_t mutex, seq, waiters; /* to begin with */
};

void cond_check_setup(const struct cond_check_options *options);
fw_mutex *cond_check_mutex(void);
fw_cond *cond_check_cond(void);

/* For the hooks. */
void cond_check_changed(unsigned thread, uint64_t addr, uint64_t before);

/* All threads are done, or sleep: `counts` tells that every wait was watched from begin to end. */
void cond_check_finished(bool counts);

/* Called by the threads' scripts. */
void cond_check_enter(unsigned self); /* has the mutex */
void cond_check_wait(unsigned self);  /* calls a wait */
void cond_check_back(unsigned self, enum wait_end how);
void cond_check_signal(unsigned self, bool all); /* calls signal or broadcast */
void cond_check_signalled(unsigned self);        /* has returned from it */
void cond_check_free(unsigned self, bool mutex); /* ends the life of an object */

/* The mutex is left for another thread to release; what it answers: was it, before? */
bool cond_check_hand(bool now);

/* Under the mutex: what the programs wait for. */
uint64_t *cond_check_tokens(void);

#endif
