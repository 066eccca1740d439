/* SPDX-License-Identifier: MIT */
#ifndef MODEL_COROUTINE_H
#define MODEL_COROUTINE_H

/*
 * Saves the callee-saved registers on the stack, the stack pointer in *save, and goes on where
 * the stack
 * `load` was left.  All other registers arrive as zero: what the engine left in them must not
 * find its way into a thread's state.
 */
void model_switch(void **save, void *load);

/* Prepares a zeroed stack that ends at `top` so that the first switch to it calls model_entry(). */
void *model_prepare(void *top);

/* Where a thread begins; never returns.  Written by the engine. */
_Noreturn void model_entry(void);

#endif
