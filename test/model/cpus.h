/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CPUS_H
#define MODEL_CPUS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * CPUs, and the page that tells who is on one (src/sys/running.h).
 *
 * In programs with `cpus` there are that many, and only a thread on one of them makes steps.  One
 * that sleeps or ends leaves its CPU; a free CPU is bound to be given to a thread that wants one,
 * and at any step, but by whim, a thread is taken off while others want its CPU: its stores arrive
 * and its plain release is aborted.  Elsewhere each thread has a CPU of its own.
 *
 * The page's answers are those of `assist`.  Checked, whatever they are: who was told last that the
 * owner does not run does not poll before it has slept or asked again (told, and polls on); who
 * was told last that it runs does not fall asleep before time has passed (told, and sleeps),
 * except for what is left of a deadline.
 */
enum model_assist {
    ASSIST_NONE, /* nothing is known of anybody, and that is no step */
    ASSIST_LIES, /* any answer at any time; nobody may rely on one that says something */
    ASSIST_YES,  /* a dead page: everybody runs, forever, and the CPU is wanted */
    ASSIST_NO,   /* nobody does */
    ASSIST_TRUE  /* as it is; with `cpus` */
};

bool cpus_may_step(unsigned thread);
bool cpus_may_come(unsigned thread);
bool cpus_may_go(unsigned thread);
void cpus_turn(unsigned thread, bool comes);

/* Who cannot go on leaves its CPU. */
void cpus_dispatch(void);

/*
 * OP_RUNNING and OP_WANTED.  May the page say yes or no by whim?  Performs the operation, with
 * that whim or none.
 */
bool cpus_may_lie(uint64_t kind, uint64_t what);
void cpus_answer(unsigned thread, uint64_t what);

/* Of the present thread: the same where that is no step, else an operation. */
uint64_t cpus_ask(uint64_t kind, uint64_t about);

/* A thread begins to wait, or to do so again: nothing was told yet, and it has not polled. */
void cpus_begin(unsigned thread);

/* The present thread forgets what it was told; a thread does, since it enters a bucket. */
void cpus_forget(void);
void cpus_move_on(unsigned thread);

/* The present thread pauses. */
void cpus_note_pause(void);

/* A thread has read the clock; it has since it began to poll, and no time has passed. */
void cpus_note_clock(unsigned thread);
bool cpus_polls_early(unsigned thread);

/* A thread falls asleep. */
void cpus_check_sleep(unsigned thread);

#endif
