/* SPDX-License-Identifier: MIT */
#ifndef MODEL_RT_CALLS_H
#define MODEL_RT_CALLS_H

#include "subject/rt.h"

#include "calls.h"
#include "rt/internal.h"

/* The real-time locks. */

#define RT_CALLS(CALL, DATA)     \
    CALL(lock, fw_rt_lock)       \
    CALL(trylock, fw_rt_trylock) \
    CALL(unlock, fw_rt_unlock)   \
    CALL(awake, fw_rt_yield_to_first_)
CALLS_OF(rt, RT);

#define RT_BEGIN_CALLS(CALL, DATA) \
    CALL(begin, fw_rt_task_begin)  \
    CALL(end, fw_rt_task_end)      \
    CALL(open, fw_rt_open)
CALLS_OF(rt_begin, RT_BEGIN);

#define SCX_CALLS(CALL, DATA)   \
    CALL(lock, fw_rt_scx_lock_) \
    CALL(unlock, fw_rt_scx_unlock_)
CALLS_OF(scx, SCX);

#endif
