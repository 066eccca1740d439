/* SPDX-License-Identifier: MIT */
#ifndef MODEL_ROOMS_H
#define MODEL_ROOMS_H

#include <stdbool.h>

/*
 * The wait-queue buckets of src/core/waitqueue.h under the model: fw_room_enter_ and
 * fw_room_leave_, with a lock that is an operation of the engine.  A program has as many rooms as
 * it says (.rooms); the n-th object that its setup makes leads to room n modulo that number, so
 * that with one room all objects share it.
 *
 * Plain accesses inside a room need no scheduling, since nobody else is inside.  But others may end
 * a frame in which a place lies; so after every step all places in line must be alive, and nobody
 * may have written to a frame that is gone.
 */

/* Before the program's setup: makes the rooms, as objects. */
void rooms_make(void);

/* A thread enters where nobody is inside; leaving is a store like any other. */
bool rooms_may_enter(unsigned thread);
void rooms_enter(unsigned thread);

/* The running thread is about to sleep: not in a room. */
void rooms_check_wait(unsigned thread);

/* After a step of the thread. */
void rooms_check(unsigned thread);

#endif
