/* SPDX-License-Identifier: MIT */
/*
 * The buckets themselves, and who is inside.  Contract: waitqueue.h.
 *
 * All that is done inside takes well under a microsecond, except a wake or a requeue; and the
 * thread that is inside has the priority of the most urgent one that waits to come in
 * (bucket_lock.h).
 */
#include "core/waitqueue.h"

#include <string.h>

#include "core/bucket_lock.h"
#include "sys/fork.h"

/*
 * More buckets than there are CPUs that could meet in one; a power of two.  And enough that with
 * 100,000 objects that are waited for a list has 24 of them.
 */
#define BUCKETS 1024u
#define BUCKET_BITS 10u

struct locked_bucket {
    struct fw_waitqueue_ bucket; /* first: fw_waitqueue_unlock_ is given this */
    struct fw_bucket_lock_ lock;
} __attribute__((aligned(64)));

_Static_assert(BUCKETS == 1u << BUCKET_BITS, "the index is that many bits of the hash");
_Static_assert(sizeof(struct locked_bucket) == 64, "neighbours share no cache line");
_Static_assert(offsetof(struct locked_bucket, bucket) == 0, "a bucket is found by its address");

struct fw_waitqueue_table_ {
    struct locked_bucket of[BUCKETS];
};

static struct fw_waitqueue_table_ buckets;

/* A second name, so that this file's own accesses need no table of addresses. */
extern struct fw_waitqueue_table_ fw_waitqueues_
    __attribute__((alias("buckets"), visibility("default")));

static struct locked_bucket *bucket_of(const void *object)
{
    return &buckets.of[fw_waitqueue_hash_(object) >> (64 - BUCKET_BITS)];
}

struct fw_waitqueue_ *fw_waitqueue_lock_(const void *object)
{
    struct locked_bucket *r = bucket_of(object);

    fw_bucket_lock_(&r->lock);
    return &r->bucket;
}

void fw_waitqueue_unlock_(struct fw_waitqueue_ *bucket)
{
    fw_bucket_unlock_(&((struct locked_bucket *)bucket)->lock);
}

static bool is_untouched(const struct locked_bucket *b)
{
    static const struct locked_bucket empty;

    return memcmp(b, &empty, sizeof empty) == 0;
}

/*
 * In a forked child: whoever stood here, or was inside, was another thread.  Memory that nobody
 * has used is not written to, and so not copied.
 */
static void empty_all(void)
{
    for (unsigned i = 0; i < BUCKETS; i++)
        if (!is_untouched(&buckets.of[i]))
            buckets.of[i] = (struct locked_bucket){.bucket = {.pulse = buckets.of[i].bucket.pulse}};
}

FW_CONSTRUCTOR static void watch_forks(void)
{
    fw_at_fork_(empty_all);
}
