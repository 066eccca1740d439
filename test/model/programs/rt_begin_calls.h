/* SPDX-License-Identifier: MIT */
#ifndef MODEL_RT_BEGIN_CALLS_H
#define MODEL_RT_BEGIN_CALLS_H

#include "subject/rt.h"

#include "calls.h"
#include "rt/internal.h"

struct rt_begin_calls {
    int (*begin)(fw_rt_task **task, fw_rt_group *group, const struct fw_rt_task_options *options);
    int (*end)(fw_rt_task *task);
    int (*open)(fw_rt_task *task, const char *name, fw_rt_protocol protocol, int ceiling,
                unsigned *lock);
};

#define rt_begin_in_use ((const struct rt_begin_calls *)calls_in_use[FAMILY_RT_BEGIN])

#endif
