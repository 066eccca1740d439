/* SPDX-License-Identifier: MIT */
#include "latch_calls.h"

extern const struct latch_calls CALLS;

const struct latch_calls CALLS = {
    .count_down = fw_latch_count_down,
    .trywait = fw_latch_trywait,
    .wait_policy = fw_latch_wait_policy,
    .arrive_and_wait = fw_latch_arrive_and_wait,
};
