/* SPDX-License-Identifier: MIT */
#ifndef MODEL_RT_CHECK_H
#define MODEL_RT_CHECK_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../engine/model.h"
#include "../subject/subject.h"

/*
 * What must hold of real-time locks.
 *
 *   exclusion       one task is in a section of a lock
 *   ceiling         IPCP, PCP's: who gets a lock has a base priority above the ceilings of those
 *                   that others of its CPU are inside of
 *   inversion       on one CPU: while a job of a task is under way, no less urgent one makes a step
 *                   outside of calls and sections
 *   blocked twice   IPCP, PCP's: nor in more than one outermost section
 *   held back       IPCP, and boosting: nobody runs outside of sections who should be held back
 *   awaited         boosting: while a waiter sleeps in the queue of a lock, and its owner could
 *                   run, nobody of the owner's CPU makes a step outside of calls and sections
 *   lent            while a task sleeps for a futex that inherits, and the task that it waits for
 *                   in the end could run on its CPU, nobody of that CPU who is less urgent makes a
 *                   step outside of calls and sections
 *   order           MPCP, FMLP+: of those who waited when the owner began to unlock, it names the
 *                   most urgent one, or the one with the oldest ticket
 *   dead receiver       who was found dead before is in no queue in the end, and has no lock
 *   dead owner      who gets the lock of one that has died in a section is told, and nobody else
 *   left over       in the end nothing is held, no proxy bears an id, nobody waits
 *
 * A section lasts from the return of the first lock to the return of the last unlock.  What a task
 * does in a call to lock, to give way, does not count as one: it is a few steps.  One that boosts
 * holds others back as soon as the lock's word names the task, and it does not sleep any more.
 */
enum rt_act { RT_IDLE, RT_RUNS, RT_LOCKS, RT_UNLOCKS };

/* A task tells what it is about to do; with lock d. */
void rt_check_act(unsigned self, enum rt_act act, unsigned d);

/*
 * What holds of an answer to a task that has got a lock, in all protocols and tiers.  The two words
 * are the lock's: who is in its section, plus 1; and must the next be told of a death?
 */
enum { TELL_NOBODY, MUST_TELL, MAY_TELL };

static inline void rt_check_answer(unsigned self, int error, uint64_t *inside, uint64_t *died)
{
    if (error != 0 && error != EOWNERDEAD)
        model_thread_fail("answer", "task %llu is answered %llu", self, (uint64_t)error);
    if (*inside != 0)
        model_thread_fail("exclusion", "task %llu is in a section in which task %llu is", self,
                          *inside - 1);
    if ((error == EOWNERDEAD && *died == TELL_NOBODY) || (error == 0 && *died == MUST_TELL))
        model_thread_fail("dead owner", "task %llu is answered %llu", self, (uint64_t)error);
    if (error == EOWNERDEAD)
        *died = TELL_NOBODY;
    *inside = self + 1;
}

/* It has got the lock, with this answer. */
void rt_check_got(unsigned self, unsigned d, int error);
void rt_check_left(unsigned self, unsigned d);

/* It runs outside of calls. */
void rt_check_runs(unsigned self);

/* Hooks of the same names. */
void rt_stepped(unsigned thread);
void rt_killed(unsigned thread);
void rt_changed(unsigned thread, uint64_t addr, uint64_t size);
void rt_finished(void);

#endif
