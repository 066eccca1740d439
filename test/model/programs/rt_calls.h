/* SPDX-License-Identifier: MIT */
#ifndef MODEL_RT_CALLS_H
#define MODEL_RT_CALLS_H

#include "subject/rt.h"

#include "calls.h"
#include "rt/internal.h"

#define RT_CALLS(CALL, DATA)     \
    CALL(lock, fw_rt_lock)       \
    CALL(trylock, fw_rt_trylock) \
    CALL(unlock, fw_rt_unlock)   \
    CALL(awake, fw_rt_yield_to_first_)
CALLS_TYPE(rt, RT_CALLS);

#define rt_in_use ((const struct rt_calls *)calls_in_use[FAMILY_RT])

#endif
