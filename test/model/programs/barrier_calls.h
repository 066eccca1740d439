/* SPDX-License-Identifier: MIT */
#ifndef MODEL_BARRIER_CALLS_H
#define MODEL_BARRIER_CALLS_H

#include <furwock/barrier.h>

#include "calls.h"

struct barrier_calls {
    int (*wait_policy)(fw_barrier *b, const fw_wait_policy *policy);
    uint32_t (*arrive)(fw_barrier *b);
    void (*await)(fw_barrier *b, uint32_t phase);
    void (*drop)(fw_barrier *b);
    void (*destroy)(fw_barrier *b);
};

#define barrier_in_use ((const struct barrier_calls *)calls_in_use[FAMILY_BARRIER])

#endif
