/* SPDX-License-Identifier: MIT */
#ifndef MODEL_POSIX_COND_CALLS_H
#define MODEL_POSIX_COND_CALLS_H

#include "calls.h"
#include "cond_shared.h"

/* The condition variable that processes share in the POSIX drop-in. */
#define POSIX_COND_CALLS(CALL, DATA)     \
    CALL(wait, fw_shared_cond_wait_)     \
    CALL(signal, fw_shared_cond_signal_) \
    CALL(broadcast, fw_shared_cond_broadcast_)
CALLS_TYPE(posix_cond, POSIX_COND_CALLS);

#define posix_cond_in_use ((const struct posix_cond_calls *)calls_in_use[FAMILY_POSIX_COND])

#endif
