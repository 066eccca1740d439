/* SPDX-License-Identifier: MIT */
#ifndef MODEL_FAULTS_H
#define MODEL_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "programs/calls.h"

/*
 * Deliberate faults: what the model must be able to find.  Some break the model's own rules
 * (the kernel's and the memory's: this enumeration), others the text of the shipped sources
 * (faults.py makes a copy of each family, with all of its faults).  Both kinds are listed in one
 * table, model_faults.
 */
enum fault_rule {
    FAULT_NONE, /* the rules hold; the sources may be faulty */
    FAULT_LOST_WAKE,
    FAULT_WAIT_WITHOUT_COMPARING,
    FAULT_LOST_REQUEUE,
    FAULT_FENCE_WITHOUT_DRAIN,
    FAULT_FENCE_WITHOUT_ABORT,
    FAULT_NO_FENCE,
    FAULT_LOOK_AT_OWNER_ONLY,
    FAULT_UNLOCKED_CAS,
    FAULT_NO_MARK,
    FAULT_LENDS_NOTHING,
    FAULT_KEEPS_LEAVE, /* subject/scx.c */
    FAULT_UNNOTED,
    FAULT_LOST_TOKEN,
    FAULT_QUIET_BURIAL,
    FAULT_QUIET_HANDOFF
};

struct model_fault {
    const char *name;
    const char *about;
    const char *program; /* the program that shows it */
    enum fault_rule rule;
    enum family family;
    unsigned number; /* among the faults of the family's copy, from 1; 0: the sources are right */
};

extern const struct model_fault model_faults[];
extern const unsigned model_fault_count;

/* The rule that is broken in the present run; the fault that a copy of the sources has in it. */
extern enum fault_rule model_broken_rule;
extern unsigned model_fault_in_use;

static inline bool fault_is(enum fault_rule rule)
{
    return model_broken_rule == rule;
}

#endif
