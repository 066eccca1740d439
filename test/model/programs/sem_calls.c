/* SPDX-License-Identifier: MIT */
#include "sem_calls.h"

extern const struct sem_calls CALLS;

const struct sem_calls CALLS = {
    .trywait = fw_sem_trywait,
    .wait_policy = fw_sem_wait_policy,
    .post = fw_sem_post,
    .post_n = fw_sem_post_n,
    .set = fw_event_set,
    .reset = fw_event_reset,
    .pass_policy = fw_event_wait_policy,
    .wait_any = fw_wait_any,
};
