/* SPDX-License-Identifier: MIT */
#ifndef FW_CORE_WAITQUEUE_H
#define FW_CORE_WAITQUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A hash table of wait queues outside of the locks, which user space can see.
 *
 * A lock that must know exactly who waits (a condition variable, a read-write lock) keeps no queue
 * in its own memory: a waiting thread puts a node, which lies on its stack, into the bucket to
 * which the object's address hashes.  Buckets are static memory, so a waiter can leave the queue
 * without touching an object that may have been freed.  The idea is that of WebKit's ParkingLot
 * (Pizlo, "Locking in WebKit", 2016).
 *
 * Rules
 *  - Nodes are read and changed only while the bucket is locked, between fw_waitqueue_lock_ and
 *    fw_waitqueue_unlock_; a lock may keep an atomic word beside its node.
 *  - A queued node means that its object exists: a waiter keeps the object alive.  With the bucket
 *    locked one may therefore touch an object for which a node was found.
 *  - With a bucket locked nobody waits for anything else; futex wakes and requeues are allowed.
 *  - The waiters of an object are queued by priority, those of equal priority first come, first
 *    served: as the kernel queues its sleepers (POSIX asks for it for real-time threads).
 *  - After fork(3) the child's buckets are empty: the other threads do not exist there.
 */

/* A waiter's node, on its stack: the first member of what the lock keeps about a waiter. */
struct fw_waiter_node_ {
    struct fw_waiter_node_ *next;
    struct fw_waiter_node_ *prev;
    const void *object; /* what is waited for */
    int urgency;        /* of the waiter: 0, or as fw_urgency_ has it */
};

/* More urgent than any thread is: who upgrades goes before all others. */
#define FW_WAITQUEUE_FIRST_ 1000

struct fw_waitqueue_ {
    struct fw_waiter_node_ *first; /* of the waiters for all objects of this bucket */
    struct fw_waiter_node_ *last;
    uint32_t
        pulse; /* a word to sleep on that is never freed; whoever wakes there changes it first */
};

/*
 * Enters the bucket of an object: until fw_waitqueue_unlock_ nobody else is inside.  One bucket at
 * a time, no entering twice, and not in a signal handler.
 */
struct fw_waitqueue_ *fw_waitqueue_lock_(const void *object);
void fw_waitqueue_unlock_(struct fw_waitqueue_ *bucket);

/* All further calls: inside the bucket only. */

static inline void fw_waitqueue_remove_(struct fw_waitqueue_ *bucket, struct fw_waiter_node_ *p)
{
    if (p->prev != NULL)
        p->prev->next = p->next;
    else
        bucket->first = p->next;
    if (p->next != NULL)
        p->next->prev = p->prev;
    else
        bucket->last = p->prev;
}

/* Undoes a removal, if nothing else was done in between. */
static inline void fw_waitqueue_restore_(struct fw_waitqueue_ *bucket, struct fw_waiter_node_ *p)
{
    if (p->prev != NULL)
        p->prev->next = p;
    else
        bucket->first = p;
    if (p->next != NULL)
        p->next->prev = p;
    else
        bucket->last = p;
}

/* The first of p and those behind it that waits for the object, or NULL. */
static inline struct fw_waiter_node_ *fw_waitqueue_find_(struct fw_waiter_node_ *p,
                                                         const void *object)
{
    while (p != NULL && p->object != object)
        p = p->next;
    return p;
}

/* The most urgent that waits for the object, of several the longest waiting; the next after p. */
static inline struct fw_waiter_node_ *fw_waitqueue_first_(const struct fw_waitqueue_ *bucket,
                                                          const void *object)
{
    return fw_waitqueue_find_(bucket->first, object);
}

static inline struct fw_waiter_node_ *fw_waitqueue_next_(const struct fw_waiter_node_ *p)
{
    return fw_waitqueue_find_(p->next, p->object);
}

/*
 * Enqueues a waiter behind all that wait for the object and are as urgent: an ordinary thread at
 * the end.
 */
static inline void fw_waitqueue_insert_(struct fw_waitqueue_ *bucket, struct fw_waiter_node_ *p,
                                        const void *object, int urgency)
{
    struct fw_waiter_node_ *next = NULL;

    p->object = object;
    p->urgency = urgency;
    if (urgency > 0) { /* F:cond-bucket-unsorted */
        next = fw_waitqueue_first_(bucket, object);
        while (next != NULL && next->urgency >= urgency) /* F:cond-equals-reversed */
            next = fw_waitqueue_next_(next);
    }
    p->next = next;
    p->prev = next != NULL ? next->prev : bucket->last;
    fw_waitqueue_restore_(bucket, p);
}

/* Its urgency has changed: it comes behind those who have the new one. */
static inline void fw_waitqueue_reorder_(struct fw_waitqueue_ *bucket, struct fw_waiter_node_ *p,
                                         int urgency)
{
    fw_waitqueue_remove_(bucket, p);
    fw_waitqueue_insert_(bucket, p, p->object, urgency);
}

#endif
