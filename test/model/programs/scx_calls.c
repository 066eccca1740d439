/* SPDX-License-Identifier: MIT */
#include "scx_calls.h"

extern const struct scx_calls CALLS;

const struct scx_calls CALLS = {.lock = fw_rt_scx_lock_, .unlock = fw_rt_scx_unlock_};
