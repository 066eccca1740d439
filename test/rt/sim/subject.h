/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_RT_SIM_SUBJECT_H
#define FW_TEST_RT_SIM_SUBJECT_H

#include "play.h"

/* How what tasks do reaches the scheduler. */
enum sim_way {
    SIM_EAGER,    /* each lock and unlock asks (the baselines) */
    SIM_DEFERRED, /* lock pages that are looked at when there is a decision to make (DU) */
    SIM_TIER_A,   /* tasks decide for themselves, under a kernel that knows of none of it */
    SIM_WAYS
};

/* rt/decide.h, or a copy of it with a fault. */
struct sim_subject {
    const char *name;
    const struct sim_rules *way[SIM_WAYS];
};

extern const struct sim_subject sim_shipped;

/* Does the way exist for such a set?  Tier A: not for PIP, which is all the kernel's, and not where
 * jobs sleep in sections, of which nobody hears. */
static inline bool sim_has_way(const struct sim_set *set, enum sim_way way)
{
    return way != SIM_TIER_A || (set->kind != FW_RT_KIND_PIP && !set->sleeps_in_sections);
}

/* The copies (test/rt/sim/faults.py); the last one's name is NULL. */
struct sim_fault {
    const struct sim_subject *subject;
    const char *about;
};
extern const struct sim_fault sim_faults[];

#endif
