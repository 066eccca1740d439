/* SPDX-License-Identifier: MIT */
#ifndef MODEL_BUCKET_CALLS_H
#define MODEL_BUCKET_CALLS_H

#include "core/bucket_lock.h"

#include "calls.h"

struct bucket_calls {
    void (*lock)(struct fw_bucket_lock_ *l);
    void (*unlock)(struct fw_bucket_lock_ *l);
};

#define bucket_in_use ((const struct bucket_calls *)calls_in_use[FAMILY_BUCKET])

#endif
