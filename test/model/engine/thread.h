/* SPDX-License-Identifier: MIT */
#ifndef MODEL_THREAD_H
#define MODEL_THREAD_H

/* Model threads as coroutines; what they call themselves is in model.h. */

/* A fresh coroutine that will begin at the program's thread function. */
void thread_prepare(unsigned thread);

/* It was killed: what is left of its stack is what is its own. */
void thread_drop(unsigned thread);

/* And that, too, is not looked at any more. */
void thread_finish(unsigned thread);

/*
 * The thread's own copy, while it does not run, of what lies there in the program: thread-local
 * variables of the sources (struct model_own).
 */
void *thread_own(unsigned thread, const void *variable);

/* Lets the thread run to its next operation, or to its end. */
void thread_run(unsigned thread);

/* After a search: what no thread uses holds MODEL_DEAD, as each step took for granted. */
void thread_check_dead(void);

#endif
