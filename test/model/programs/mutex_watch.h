/* SPDX-License-Identifier: MIT */
#ifndef MODEL_MUTEX_WATCH_H
#define MODEL_MUTEX_WATCH_H

#include <stdint.h>

#include "../engine/model.h"

/*
 * What must hold of the mutex's word at every change, and of the calls as their users see them.
 * What it remembers lies in model_shared.ghost, so it is part of the state.
 */
enum watch_ghost {
    WATCH_INSIDE,      /* thread + 1 that has the lock, until its release is visible; 0: nobody */
    WATCH_ENTRIES,     /* how often the critical section was entered */
    WATCH_GONE,        /* bit per thread: it will not ask for the lock again */
    WATCH_WAITERS,     /* bit per thread: it stands in line, by the word's count */
    WATCH_HEIRS,       /* bit per thread: it stood in line when the lock was passed */
    WATCH_FAIR,        /* thread + 1 whose fair release found others asleep ... */
    WATCH_FAIR_ASLEEP, /* ... these; until somebody has the lock */
    WATCH_STRANGERS    /* bit per thread: it lets go of what another has */
};

/* The mutex under watch: an object of the model. */
void *watch_mutex(uint64_t initial);

/* Hooks of struct model_program. */
void watch_changed(unsigned thread, uint64_t addr, uint64_t before);
void watch_finished(void);
void watch_describe(char *text, size_t room);

/* Called by the threads' scripts. */
void watch_enter(unsigned self);
void watch_stranger(unsigned self);
void watch_gave_up(unsigned self);
void watch_fair_release(unsigned self);

#endif
