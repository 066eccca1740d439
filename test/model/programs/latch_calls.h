/* SPDX-License-Identifier: MIT */
#ifndef MODEL_LATCH_CALLS_H
#define MODEL_LATCH_CALLS_H

#include <furwock/latch.h>

#include "calls.h"

#define LATCH_CALLS(CALL, DATA)             \
    CALL(count_down, fw_latch_count_down)   \
    CALL(trywait, fw_latch_trywait)         \
    CALL(wait_policy, fw_latch_wait_policy) \
    CALL(arrive_and_wait, fw_latch_arrive_and_wait)
CALLS_TYPE(latch, LATCH_CALLS);

#define latch_in_use ((const struct latch_calls *)calls_in_use[FAMILY_LATCH])

#endif
