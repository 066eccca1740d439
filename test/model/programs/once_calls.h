/* SPDX-License-Identifier: MIT */
#ifndef MODEL_ONCE_CALLS_H
#define MODEL_ONCE_CALLS_H

#include <furwock/once.h>

#include "calls.h"

#define ONCE_CALLS(CALL, DATA) \
    CALL(call, fw_once_call)   \
    CALL(end, fw_once_end_)
CALLS_TYPE(once, ONCE_CALLS);

#define once_in_use ((const struct once_calls *)calls_in_use[FAMILY_ONCE])

#endif
