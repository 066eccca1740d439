/* SPDX-License-Identifier: MIT */
#ifndef MODEL_RT_BEGIN_CALLS_H
#define MODEL_RT_BEGIN_CALLS_H

#include "subject/rt.h"

#include "calls.h"
#include "rt/internal.h"

#define RT_BEGIN_CALLS(CALL, DATA) \
    CALL(begin, fw_rt_task_begin)  \
    CALL(end, fw_rt_task_end)      \
    CALL(open, fw_rt_open)
CALLS_TYPE(rt_begin, RT_BEGIN_CALLS);

#define rt_begin_in_use ((const struct rt_begin_calls *)calls_in_use[FAMILY_RT_BEGIN])

#endif
