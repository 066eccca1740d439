/* SPDX-License-Identifier: MIT */
#include "posix_barrier_calls.h"

extern const struct posix_barrier_calls CALLS;

const struct posix_barrier_calls CALLS = {
    .init = fw_posix_barrier_init_,
    .wait_by = fw_posix_barrier_wait_by_,
    .destroy = fw_posix_barrier_destroy_,
};
