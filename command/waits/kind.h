/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_WAITS_KIND_H
#define FW_COMMAND_WAITS_KIND_H

#include "stacks.h"

/* What a thread waits for, by its stack and by the words of the object. */
struct kind {
    const char *text;
    enum waits_class class;
    uint64_t object;           /* its address */
    bool is_parker;            /* the futex is the waiting thread's own, whatever it waits for */
    uint32_t op, value;        /* of the futex call */
    const char *call, *caller; /* of the lock, as the stack has them; NULL: unknown */
};

/* Of a wait that begins.  e: NULL, if it was not seen to begin. */
void kind_find(struct kind *k, const struct stacks_process *p, const struct waits_stack *stack,
               uint64_t address, const struct fw_waits_stack_event *e);

/* What a thread is parked for, of a kind that parks: as its word says now; 0: it does not. */
uint64_t kind_parked_on(const struct kind *k, const struct stacks_process *p, uint64_t address);

/* The variable's name may say more. */
void kind_by_name(struct kind *k, const char *name);

/* What else can be asked, and of what, where threads do not wait themselves; NULL: nothing. */
const char *kind_hint(const char *text);

/*
 * Who holds it now?  TID as the process sees it, or 0: nobody.  False: the lock does not say, or
 * its memory cannot be read.
 */
bool kind_owner(const struct kind *k, const struct stacks_process *p, uint64_t address,
                pid_t *owner);

#endif
