/* SPDX-License-Identifier: MIT */
#ifndef MODEL_SEM_CALLS_H
#define MODEL_SEM_CALLS_H

#include <stdbool.h>

#include <furwock/any.h>
#include <furwock/event.h>
#include <furwock/sem.h>

#include "calls.h"
#include "thread/permits.h"

/* The semaphore, and what stands on the same units: the event, and the wait for any. */
static inline bool sem_trywait_posix_(fw_sem *s)
{
    return fw_permits_take_any_(&s->state_);
}

static inline int sem_wait_posix_(fw_sem *s, const fw_deadline *deadline)
{
    return fw_permits_wait_posix_(&s->state_, deadline);
}

#define SEM_CALLS(CALL, DATA)               \
    CALL(trywait, fw_sem_trywait)           \
    CALL(trywait_posix, sem_trywait_posix_) \
    CALL(wait_policy, fw_sem_wait_policy)   \
    CALL(wait_posix, sem_wait_posix_)       \
    CALL(post, fw_sem_post)                 \
    CALL(post_n, fw_sem_post_n)             \
    CALL(set, fw_event_set)                 \
    CALL(reset, fw_event_reset)             \
    CALL(pass_policy, fw_event_wait_policy) \
    CALL(wait_any, fw_wait_any)
CALLS_TYPE(sem, SEM_CALLS);

#define sem_in_use ((const struct sem_calls *)calls_in_use[FAMILY_SEM])

#endif
