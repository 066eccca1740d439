/* SPDX-License-Identifier: MIT */
#ifndef MODEL_BUCKET_CALLS_H
#define MODEL_BUCKET_CALLS_H

#include "calls.h"
#include "core/bucket_lock.h"

#define BUCKET_CALLS(CALL, DATA) \
    CALL(lock, fw_bucket_lock_)  \
    CALL(unlock, fw_bucket_unlock_)
CALLS_TYPE(bucket, BUCKET_CALLS);

#define bucket_in_use ((const struct bucket_calls *)calls_in_use[FAMILY_BUCKET])

#endif
