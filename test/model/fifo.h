/* SPDX-License-Identifier: MIT */
#ifndef MODEL_FIFO_H
#define MODEL_FIFO_H

#include <stdbool.h>
#include <stdint.h>

/*
 * SCHED_FIFO, and futexes that inherit priority.
 *
 * In programs with `tasks` each thread runs on a CPU and has a priority, both of which it may
 * change, and on each CPU the
 * most urgent one that could run makes steps, and no other.  So nobody is preempted by whim, but
 * whenever a more urgent one is woken, or its turn comes (OP_SLEEP), which is at any moment.  Of
 * equals the one that has the CPU keeps it.  A killed thread ends when it has the CPU.
 *
 * A sleeper in FUTEX_LOCK_PI lends its priority to the word's owner, and that one, if it sleeps
 * there, too, to the next.  The words are as in kernel/futex/pi.c: the kernel sets WAITERS before
 * it knows whether there is such an owner; who waits already has the kernel's record of the owner,
 * and a word that bears another id is refused (EINVAL); UNLOCK_PI hands over to the most urgent one
 * and leaves WAITERS set.  Who comes before that one has run, and is more urgent, has it at once,
 * and that one sleeps again.  When an owner dies that others wait for, the most urgent one is
 * woken, and only when it runs it enters its id, with DIED; who comes meanwhile is refused.  Who
 * becomes the owner while others sleep is not told what they lend, and has it no more once its own
 * priority is set (seen on Linux 6.18).
 */

/* The priority with which it runs: its own, or what others lend it. */
uint64_t fifo_priority(unsigned thread);

/* Who makes the steps from now on; stores that another one on the CPU might look for arrive. */
void fifo_dispatch(void);

/* A killed thread needs the CPU once more; what others lend it counts. */
bool fifo_may_end(unsigned thread);

/*
 * Has it stopped to ask for a word of a thread that is ending?  It waits in the kernel until that
 * one has ended.
 */
bool fifo_is_held_up(unsigned thread);

/* OP_LOCK_PI, and what comes with it; false: another operation. */
bool fifo_performs(unsigned thread);
void fifo_claim(unsigned thread); /* OP_CLAIM */

/* Is there a thread of that number, as kill(2) and /proc have it? */
bool fifo_is_there(unsigned thread);

/* What the kernel does about the words that a dead thread has, and others wait for. */
void fifo_reap(unsigned thread);

#endif
