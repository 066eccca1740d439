/* SPDX-License-Identifier: MIT */
#ifndef MODEL_POSIX_BARRIER_CALLS_H
#define MODEL_POSIX_BARRIER_CALLS_H

#include "barrier.h"
#include "calls.h"

/* The barrier of the POSIX drop-in. */
#define POSIX_BARRIER_CALLS(CALL, DATA)      \
    CALL(init, fw_posix_barrier_init_)       \
    CALL(wait_by, fw_posix_barrier_wait_by_) \
    CALL(destroy, fw_posix_barrier_destroy_)
CALLS_TYPE(posix_barrier, POSIX_BARRIER_CALLS);

#define posix_barrier_in_use \
    ((const struct posix_barrier_calls *)calls_in_use[FAMILY_POSIX_BARRIER])

#endif
