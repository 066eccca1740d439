/* SPDX-License-Identifier: MIT */
#ifndef MODEL_WAITV_H
#define MODEL_WAITV_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/model.h"

/*
 * A wait for any of several words (futex_waitv): addr = their table, size = how many, c = deadline.
 *
 * It is one step; or, in programs with `splits`, one step queues one word, as in the kernel, in the
 * order of the table, and one more ends it.  Others come in between: then one that is queued, or
 * not out of the kernel yet, may take more than one wake, and is told the last one in the table
 * (futex/waitwake.c: futex_wait_multiple_setup, futex_unqueue_multiple).  a = how many are queued,
 * b = bit n: word n was woken.
 */

/* Begins the wait, or takes it further. */
void waitv_step(unsigned thread);

/* Does a wake there meet it?  Which of the words is that? */
bool waitv_meets(const struct model_op *op, uint64_t addr, bool is_private, unsigned *which);

/* That word is woken. */
void waitv_wake(unsigned thread, unsigned which);

/* That word is moved there. */
void waitv_move(const struct model_op *op, unsigned which, uint64_t addr);

#endif
