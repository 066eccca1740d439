/* SPDX-License-Identifier: MIT */
#include "posix_cond_calls.h"

extern const struct posix_cond_calls CALLS;

const struct posix_cond_calls CALLS = {
    .wait = fw_shared_cond_wait_,
    .signal = fw_shared_cond_signal_,
    .broadcast = fw_shared_cond_broadcast_,
};
