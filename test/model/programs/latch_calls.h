/* SPDX-License-Identifier: MIT */
#ifndef MODEL_LATCH_CALLS_H
#define MODEL_LATCH_CALLS_H

#include <furwock/latch.h>

#include "calls.h"

struct latch_calls {
    void (*count_down)(fw_latch *l, uint32_t n);
    int (*trywait)(const fw_latch *l);
    int (*wait_policy)(fw_latch *l, const fw_wait_policy *policy, const fw_deadline *deadline);
    void (*arrive_and_wait)(fw_latch *l, uint32_t n);
};

#define latch_in_use ((const struct latch_calls *)calls_in_use[FAMILY_LATCH])

#endif
