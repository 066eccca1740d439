/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_IPC_KILL_REGION_H
#define FW_TEST_IPC_KILL_REGION_H

#include <stddef.h>

#include "kill_at_step.h"

/* The region that all processes of a run share, and an object in it. */
struct fw_region *region_of_all(void);
void *object_new(size_t size);

/*
 * `before` of a victim whose first call is not to be counted, as it registers its thread.  Two
 * victims that die over that are the matter of the participant's table, and of the mutex's.
 */
void become_participant(void);

/* A role that is two others, or three, one after the other. */
#define ROLE(name, first, second) ROLE_3(name, first, second, no_more)
#define ROLE_3(name, first, second, third) \
    static void name(void)                 \
    {                                      \
        first();                           \
        second();                          \
        third();                           \
    }

static inline void no_more(void) {}

/* By a peer: it is ready, and stays until the victim is idle, or done. */
void stay_until_victim_idle(void);
void stay_until_victim_done(void);

#endif
