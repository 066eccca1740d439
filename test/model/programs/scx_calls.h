/* SPDX-License-Identifier: MIT */
#ifndef MODEL_SCX_CALLS_H
#define MODEL_SCX_CALLS_H

#include "subject/rt.h"

#include "calls.h"
#include "rt/internal.h"

#define SCX_CALLS(CALL, DATA)   \
    CALL(lock, fw_rt_scx_lock_) \
    CALL(unlock, fw_rt_scx_unlock_)
CALLS_TYPE(scx, SCX_CALLS);

#define scx_in_use ((const struct scx_calls *)calls_in_use[FAMILY_SCX])

#endif
