/* SPDX-License-Identifier: MIT */
#ifndef MODEL_ONCE_CALLS_H
#define MODEL_ONCE_CALLS_H

#include <furwock/once.h>

#include "calls.h"

struct once_calls {
    int (*call)(fw_once *o, int (*init)(void *), void *arg);
    void (*end)(fw_once *o, bool done);
};

#define once_in_use ((const struct once_calls *)calls_in_use[FAMILY_ONCE])

#endif
