/* SPDX-License-Identifier: MIT */
#ifndef MODEL_FIFO_PI_H
#define MODEL_FIFO_PI_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A thread that sleeps in OP_LOCK_PI keeps in its op: addr, b = the owner's number plus 1, c = the
 * deadline.  Until it runs, one that a death has made the owner stands there with
 * d = IS_FROM_THE_DEAD, and one to whom it was handed over at OP_WOKEN with b = IS_PENDING.
 */
#define IS_PENDING 1u

/*
 * Linux 6.18 (try_to_take_rt_mutex): whoever becomes the owner while others sleep is not told what
 * they lend.  If it then sets its own priority, they lend it nothing, until somebody falls asleep
 * who goes before all of them.  In their ops, d:
 */
enum { IS_TOLD, IS_FROM_THE_DEAD, IS_UNTOLD, IS_FORGOTTEN };

static inline uint64_t fifo_bit(unsigned thread)
{
    return UINT64_C(1) << thread;
}

/* Does the thread sleep for a word of the owner's? */
bool fifo_sleeps_for(unsigned thread, unsigned owner);

/* The most urgent, and of equals the one that came first; MODEL_MAX_THREADS: nobody waits. */
unsigned fifo_first_waiter(uint64_t addr);

#endif
