/* SPDX-License-Identifier: MIT */
#ifndef MODEL_BUCKETS_H
#define MODEL_BUCKETS_H

#include <stdbool.h>

#include "core/waitqueue.h"
#include "engine/model.h"

/*
 * The wait-queue buckets of src/core/waitqueue.h under the model: fw_waitqueue_lock_ and
 * fw_waitqueue_unlock_, with a lock that is an operation of the engine.  A program has as many
 * buckets as it says (.buckets); the n-th object that its setup makes leads to bucket n modulo that
 * number, so that with one bucket all objects share it.
 *
 * Plain accesses inside a bucket need no scheduling, since nobody else is inside.  But others may
 * end a frame in which a node lies; so after every step all queued nodes must be alive, and
 * nobody may have written to a frame that is gone.
 */

/* As the bucket itself, it is an object in the shared memory. */
struct locked_bucket {
    struct fw_waitqueue_ bucket; /* first: fw_waitqueue_unlock_ is given this */
    uint64_t inside;             /* thread + 1; 0: nobody */
};

/* In a program with one: the first object. */
static inline struct locked_bucket *buckets_only(void)
{
    return (struct locked_bucket *)(void *)model_memory;
}

/* The first of those that wait for any object in it, or NULL. */
static inline struct fw_waiter_node_ *buckets_first(const struct fw_waitqueue_ *bucket)
{
    for (unsigned i = 0; i < FW_WAITQUEUE_LISTS_; i++)
        if (bucket->lines[i] != NULL)
            return bucket->lines[i];
    return NULL;
}

/* In a program with one, where nobody waits any more: nobody is queued in it. */
void buckets_check_empty(void);

/* Before the program's setup: makes the buckets, as objects. */
void buckets_make(void);

/* A thread enters where nobody is inside; leaving is a store like any other. */
bool buckets_may_enter(unsigned thread);
void buckets_enter(unsigned thread);

/* The running thread is about to sleep: not in a bucket. */
void buckets_check_wait(unsigned thread);

/* After a step of the thread. */
void buckets_check(unsigned thread);

#endif
