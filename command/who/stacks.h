/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_WHO_STACKS_H
#define FW_COMMAND_WHO_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target.h"

/*
 * Stacks of a process, from a copy of their memory: of each thread the stack pointer and the
 * program counter are enough, so that nothing has to be stopped.
 *
 * The tables of the files (.eh_frame) say where the caller's frame is.  Where they need a register
 * that is not known (a frame pointer that no inner function has saved), or where there are none,
 * the stack is searched for the next return address: first for one whose call leads to the function
 * that the frame lies in, which is exact, else for any, which may be left over from a call that has
 * returned; such frames are marked.
 */
enum { UNWIND_FRAMES = 64, UNWIND_STACK = 32768 /* bytes that are copied */ };

struct unwind_frame {
    uint64_t address; /* where it returns to; of the innermost: where it is */
    bool is_call;     /* there is a call before that address */
    bool is_guess;    /* found by a search that nothing confirms */
};

struct unwind_stack {
    uint64_t base; /* = the stack pointer */
    size_t size;
    uint8_t bytes[UNWIND_STACK];
};

struct unwinder;

/* NULL: this build has no libdw, or it does not know the machine. */
struct unwinder *unwinder_open(const struct target *t);
void unwinder_close(struct unwinder *u);

/* The number of frames, UNWIND_FRAMES at most; without an unwinder, the innermost one. */
unsigned unwind(struct unwinder *u, const struct target *t, const struct target_registers *r,
                const struct unwind_stack *stack, struct unwind_frame frames[UNWIND_FRAMES]);

/* Why there is no unwinder in this build; NULL: there is one. */
extern const char *const unwind_missing;

#endif
