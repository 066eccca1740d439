/* SPDX-License-Identifier: MIT */
#ifndef MODEL_SUBJECT_H
#define MODEL_SUBJECT_H

#include <stdint.h>

#include "sys/thread.h"

/* The kernel thread ids of model threads: 101, 102, ... */
#define SUBJECT_FIRST_TID 101u

static inline uint32_t subject_id(unsigned thread)
{
    return (SUBJECT_FIRST_TID + thread) << FW_ID_SHIFT | FW_ID_HELD;
}

/* Before a program begins: what the library does when it is loaded there. */
void subject_load_library(void);

/* The event of a loop: subject/descriptors.c.  NULL: nobody sleeps on it. */
extern uint32_t *subject_event;

/* A thread last asked how urgent it is when it was an ordinary one. */
extern _Bool subject_is_stale;

#endif
