/* SPDX-License-Identifier: MIT */
#include "bucket_calls.h"

extern const struct bucket_calls CALLS;

static void lock(struct fw_bucket_lock_ *l)
{
    fw_bucket_lock_(l);
}

static void unlock(struct fw_bucket_lock_ *l)
{
    fw_bucket_unlock_(l);
}

const struct bucket_calls CALLS = {.lock = lock, .unlock = unlock};
