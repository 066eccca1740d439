/* SPDX-License-Identifier: MIT */
/*
 * The bucket of src/core/waitqueue.h: one, since there is one lock, with the shipped bucket lock.
 * What is done inside counts as far as it is atomic.
 */
#include "../buckets.h"

#include <stddef.h>

#include "core/bucket_lock.h"
#include "machine.h"

struct cores_bucket {
    struct fw_waitqueue_ bucket; /* first: fw_waitqueue_unlock_ is given this */
    struct fw_bucket_lock_ lock;
} __attribute__((aligned(64)));

static struct cores_bucket *only;

struct fw_waitqueue_ *fw_waitqueue_lock_(const void *object)
{
    (void)object;
    fw_bucket_lock_(&only->lock);
    return &only->bucket;
}

void fw_waitqueue_unlock_(struct fw_waitqueue_ *bucket)
{
    fw_bucket_unlock_(&((struct cores_bucket *)bucket)->lock);
}

void buckets_make(void)
{
    only = model_object("bucket", sizeof *only, NULL, NULL);
}

/* --- What the engine asks of those of fw-model, which are a kind of operation ----------------- */

bool buckets_may_enter(unsigned thread)
{
    (void)thread;
    return true;
}

void buckets_enter(unsigned thread)
{
    (void)thread;
}

void buckets_check_wait(unsigned thread)
{
    (void)thread;
}

void buckets_check(unsigned thread)
{
    (void)thread;
}

void buckets_check_empty(void) {}
