/* SPDX-License-Identifier: MIT */
#ifndef MODEL_RT_CALLS_H
#define MODEL_RT_CALLS_H

#include "subject/rt.h"

#include "calls.h"
#include "rt/internal.h"

struct rt_calls {
    int (*lock)(fw_rt_task *task, unsigned lock);
    int (*trylock)(fw_rt_task *task, unsigned lock);
    int (*unlock)(fw_rt_task *task, unsigned lock);
    int (*awake)(fw_rt_task *task);
};

#define rt_in_use ((const struct rt_calls *)calls_in_use[FAMILY_RT])

#endif
