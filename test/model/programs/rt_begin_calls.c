/* SPDX-License-Identifier: MIT */
#include "rt_begin_calls.h"

extern const struct rt_begin_calls CALLS;

const struct rt_begin_calls CALLS = {
    .begin = fw_rt_task_begin,
    .end = fw_rt_task_end,
    .open = fw_rt_open,
};
