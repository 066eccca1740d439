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

/*
 * A waiter's node: the first member of what the lock keeps about a waiter, on that one's stack, or
 * of an asynchronous operation, in the memory of its caller (operation.h).
 *
 * The nodes of one object are a queue of its own; the first of each hangs in a list of the bucket:
 *
 *     lines[i] -> first of object A -> first of object B -> NULL      (next_object)
 *                     |                    |
 *                   second               second                       (next; prev leads back)
 *
 * WQ1  first->prev is the last of the queue, and last->next is NULL.
 * WQ2  is_first is set in the first of each queue, and nowhere else in it.
 */
struct fw_waiter_node_ {
    struct fw_waiter_node_ *next;
    struct fw_waiter_node_ *prev;
    const void *object;                  /* what is waited for */
    struct fw_waiter_node_ *next_object; /* of the first: the first that waits for another */
    int urgency;                         /* of the waiter: 0, or as fw_urgency_ has it */
    bool is_operation;                   /* not a thread */
    bool is_first;
};

/* More urgent than any thread is: who upgrades goes before all others. */
#define FW_WAITQUEUE_FIRST_ 1000

/* Lists of queues in a bucket: as many as its cache line has room for, and a power of two. */
#define FW_WAITQUEUE_LISTS_ 4u

struct fw_waitqueue_ {
    struct fw_waiter_node_ *lines[FW_WAITQUEUE_LISTS_];
    uint32_t
        pulse; /* a word to sleep on that is never freed; whoever wakes there changes it first */
};

/*
 * Multiplicative hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4): the upper
 * bits name the bucket, and some in the middle the list in it.
 */
static inline uint64_t fw_waitqueue_hash_(const void *object)
{
    return (uint64_t)(uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15);
}

/*
 * Enters the bucket of an object: until fw_waitqueue_unlock_ nobody else is inside.  One bucket at
 * a time, no entering twice, and not in a signal handler.
 */
struct fw_waitqueue_ *fw_waitqueue_lock_(const void *object);
void fw_waitqueue_unlock_(struct fw_waitqueue_ *bucket);

/* All further calls: inside the bucket only. */

/* The link that leads to the first node of the object, or the NULL at the end of the list. */
static inline struct fw_waiter_node_ **fw_waitqueue_link_(struct fw_waitqueue_ *bucket,
                                                          const void *object)
{
    struct fw_waiter_node_ **link =
        &bucket->lines[fw_waitqueue_hash_(object) >> 32 & (FW_WAITQUEUE_LISTS_ - 1)];

    while (*link != NULL && (*link)->object != object)
        link = &(*link)->next_object;
    return link;
}

/* The most urgent that waits for the object, of several the longest waiting, or NULL. */
static inline struct fw_waiter_node_ *fw_waitqueue_first_(const struct fw_waitqueue_ *bucket,
                                                          const void *object)
{
    return *fw_waitqueue_link_((struct fw_waitqueue_ *)bucket, object);
}

/* The one after p that waits for the same object, or NULL; also if p was just removed. */
static inline struct fw_waiter_node_ *fw_waitqueue_next_(const struct fw_waiter_node_ *p)
{
    return p->next;
}

static inline void fw_waitqueue_remove_(struct fw_waitqueue_ *bucket, struct fw_waiter_node_ *p)
{
    if (!p->is_first) {
        p->prev->next = p->next;
        if (p->next != NULL)
            p->next->prev = p->prev;
        else
            (*fw_waitqueue_link_(bucket, p->object))->prev = p->prev;
    } else if (p->next == NULL) {
        *fw_waitqueue_link_(bucket, p->object) = p->next_object;
    } else {
        *fw_waitqueue_link_(bucket, p->object) = p->next;
        p->next->next_object = p->next_object;
        p->next->prev = p->prev;
        p->next->is_first = true;
    }
}

/* Undoes a removal, if nothing else was done in between. */
static inline void fw_waitqueue_restore_(struct fw_waitqueue_ *bucket, struct fw_waiter_node_ *p)
{
    struct fw_waiter_node_ **link = fw_waitqueue_link_(bucket, p->object);

    if (p->is_first) {
        p->next_object = p->next != NULL ? p->next->next_object : NULL;
        if (p->next != NULL)
            p->next->is_first = false;
        *link = p;
    } else {
        p->prev->next = p;
    }
    if (p->next != NULL)
        p->next->prev = p;
    else
        (*link)->prev = p;
}

/* The first that waits for the object and is less urgent than that, or NULL. */
static inline struct fw_waiter_node_ *fw_waitqueue_below_(const struct fw_waitqueue_ *bucket,
                                                          const void *object, int urgency)
{
    struct fw_waiter_node_ *p = fw_waitqueue_first_(bucket, object);

    while (p != NULL && p->urgency >= urgency) /* F:cond-equals-reversed */
        p = fw_waitqueue_next_(p);
    return p;
}

/* Enqueues a waiter before the one called next, of the same queue, or at the end. */
static inline void fw_waitqueue_put_before_(struct fw_waitqueue_ *bucket, struct fw_waiter_node_ *p,
                                            struct fw_waiter_node_ *next)
{
    struct fw_waiter_node_ *const first = fw_waitqueue_first_(bucket, p->object);

    p->next = next;
    p->prev = next != NULL ? next->prev : first != NULL ? first->prev : p;
    p->is_first = next == first;
    fw_waitqueue_restore_(bucket, p);
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
    if (urgency > 0) /* F:cond-bucket-unsorted */
        next = fw_waitqueue_below_(bucket, object, urgency);
    fw_waitqueue_put_before_(bucket, p, next);
}

/* Its urgency has changed: it comes behind those who have the new one. */
static inline void fw_waitqueue_reorder_(struct fw_waitqueue_ *bucket, struct fw_waiter_node_ *p,
                                         int urgency)
{
    fw_waitqueue_remove_(bucket, p);
    fw_waitqueue_insert_(bucket, p, p->object, urgency);
}

/* It comes before all that are not more urgent. */
static inline void fw_waitqueue_advance_(struct fw_waitqueue_ *bucket, struct fw_waiter_node_ *p)
{
    fw_waitqueue_remove_(bucket, p);
    fw_waitqueue_put_before_(bucket, p, fw_waitqueue_below_(bucket, p->object, p->urgency + 1));
}

#endif
