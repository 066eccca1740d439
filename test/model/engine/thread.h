/* SPDX-License-Identifier: MIT */
#ifndef MODEL_THREAD_H
#define MODEL_THREAD_H

/* Model threads as coroutines; what they call themselves is in model.h. */

/* A fresh coroutine that will begin at the program's thread function. */
void thread_prepare(unsigned thread);

/* Lets the thread run to its next operation, or to its end. */
void thread_run(unsigned thread);

#endif
