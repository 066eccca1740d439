/* SPDX-License-Identifier: MIT */
#ifndef MODEL_MUTEX_CHECK_H
#define MODEL_MUTEX_CHECK_H

#include <stdint.h>

#include "../engine/model.h"

/*
 * What must hold of the mutex's word at every change, and of the calls as their users see them.
 * What it remembers lies in model_shared.shadow, so it is part of the state.
 */
enum mutex_shadow {
    MUTEX_INSIDE,      /* thread + 1 that has the lock, until its release is visible; 0: nobody */
    MUTEX_ENTRIES,     /* how often the critical section was entered */
    MUTEX_GONE,        /* bit per thread: it will not ask for the lock again */
    MUTEX_WAITERS,     /* bit per thread: it is queued, by the word's count */
    MUTEX_RECEIVERS,   /* bit per thread: it was queued when the lock was handed off */
    MUTEX_FAIR,        /* thread + 1 whose fair release found others asleep ... */
    MUTEX_FAIR_ASLEEP, /* ... these; until somebody has the lock */
    MUTEX_STRANGERS    /* bit per thread: it lets go of what another has */
};

/* The mutex that is checked: an object of the model. */
void *mutex_check_setup(uint64_t initial);

/* For the hooks. */
void mutex_check_changed(unsigned thread, uint64_t addr, uint64_t before);
void mutex_check_finished(void);

/* Called by the threads' scripts. */
void mutex_check_enter(unsigned self);
void mutex_check_stranger(unsigned self);
void mutex_check_gave_up(unsigned self);
void mutex_check_fair_release(unsigned self);

#endif
