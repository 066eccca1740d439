/* SPDX-License-Identifier: MIT */
#ifndef MODEL_BARRIER_CALLS_H
#define MODEL_BARRIER_CALLS_H

#include <furwock/barrier.h>

#include "calls.h"

#define BARRIER_CALLS(CALL, DATA)             \
    CALL(wait_policy, fw_barrier_wait_policy) \
    CALL(arrive, fw_barrier_arrive)           \
    CALL(await, fw_barrier_await)             \
    CALL(drop, fw_barrier_drop)               \
    CALL(destroy, fw_barrier_destroy)
CALLS_TYPE(barrier, BARRIER_CALLS);

#define barrier_in_use ((const struct barrier_calls *)calls_in_use[FAMILY_BARRIER])

#endif
