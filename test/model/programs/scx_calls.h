/* SPDX-License-Identifier: MIT */
#ifndef MODEL_SCX_CALLS_H
#define MODEL_SCX_CALLS_H

#include "subject/rt.h"

#include "calls.h"
#include "rt/internal.h"

struct scx_calls {
    int (*lock)(struct fw_rt_task *t, uint32_t d, bool try);
    int (*unlock)(struct fw_rt_task *t, uint32_t d);
};

#define scx_in_use ((const struct scx_calls *)calls_in_use[FAMILY_SCX])

#endif
