/* SPDX-License-Identifier: MIT */
#include "sem_calls.h"

#include "thread/permits.h"

extern const struct sem_calls CALLS;

static bool trywait_posix(fw_sem *s)
{
    return fw_permits_take_any_(&s->state_);
}

static int wait_posix(fw_sem *s, const fw_deadline *deadline)
{
    return fw_permits_wait_posix_(&s->state_, deadline);
}

const struct sem_calls CALLS = {
    .trywait = fw_sem_trywait,
    .trywait_posix = trywait_posix,
    .wait_policy = fw_sem_wait_policy,
    .wait_posix = wait_posix,
    .post = fw_sem_post,
    .post_n = fw_sem_post_n,
    .set = fw_event_set,
    .reset = fw_event_reset,
    .pass_policy = fw_event_wait_policy,
    .wait_any = fw_wait_any,
};
