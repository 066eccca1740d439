/* SPDX-License-Identifier: MIT */
#include "barrier_calls.h"

extern const struct barrier_calls CALLS;

const struct barrier_calls CALLS = {
    .wait_policy = fw_barrier_wait_policy,
    .arrive = fw_barrier_arrive,
    .await = fw_barrier_await,
    .drop = fw_barrier_drop,
    .destroy = fw_barrier_destroy,
};
