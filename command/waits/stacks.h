/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_WAITS_STACKS_H
#define FW_COMMAND_WAITS_STACKS_H

#include "command/who/target.h"
#include "model.h"

/*
 * Stacks of watched processes, as names: each frame and each stack is kept once, until the program
 * ends.  What a process has mapped is read again where an address is in none of it.
 */
struct stacks_process; /* one that is looked into */

/* Never NULL.  What may not be read has addresses instead of names; `why` then says why. */
struct stacks_process *stacks_open(pid_t pid);
void stacks_close(struct stacks_process *p);
const char *stacks_why(const struct stacks_process *p); /* NULL: it can be read */

/* What the kernel has copied; NULL: there is nothing in it. */
const struct waits_stack *stacks_of_event(struct stacks_process *p,
                                          const struct fw_waits_stack_event *e);

/* The same of a thread that sleeps now; NULL: it runs, has ended, or waits for another address. */
const struct waits_stack *stacks_of_thread(struct stacks_process *p, pid_t tid, uint64_t address);

/* The name of the variable at that address, to be freed; NULL: none. */
char *stacks_variable(struct stacks_process *p, uint64_t address);

/* The process itself; NULL: it cannot be read. */
const struct target *stacks_target(const struct stacks_process *p);

/* The same thread, as this process sees it, of a number in the process's own pid namespace. */
pid_t stacks_thread(struct stacks_process *p, pid_t inner);

/* A frame or a stack of a recording. */
const struct waits_frame *stacks_frame(const struct waits_frame *like);
const struct waits_stack *stacks_stack(const struct waits_frame *const *frames, unsigned count);

/* All frames and stacks that there are, by their numbers. */
const struct waits_frame *stacks_frame_at(unsigned id); /* NULL: behind the last */
const struct waits_stack *stacks_stack_at(unsigned id);

#endif
