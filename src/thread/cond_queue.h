/* SPDX-License-Identifier: MIT */
#ifndef FW_COND_QUEUE_H
#define FW_COND_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/cond.h>

#include "core/operation.h"
#include "core/thread_state.h"
#include "core/wait.h"
#include "core/waitqueue.h"
#include "thread/cond_posix.h"
#include "thread/mutex_word.h"

/* A waiter for a condition variable, in its wait queue: the table of states is in cond.c. */
enum { AWAKE = 0, ASLEEP = 1, MOVING = 2, WOKEN = 3, MOVED = 4 };

_Static_assert(sizeof(fw_cond) == 8, "the public promise");

/* waiters_: is a waiter queued, and are new ones single? */
#define COND_WAITERS 1u
#define COND_SIGNALS 2u

/* A waiting thread; it lives on that thread's stack. */
struct waiter {
    struct fw_wait_ wait; /* first: the cleanup of a cancelled wait gets this */
    struct fw_waiter_node_ node;
    uint32_t state;
    uint32_t seq;   /* what it expects in seq_ */
    bool is_single; /* it sleeps on its state, not on seq_ */
    fw_cond *c;
    fw_mutex *m;                        /* NULL: non-requeueable (cond_posix.h) */
    const struct fw_cond_mutex_ *posix; /* NULL: checked mode, m is held */
    uint64_t *late;                     /* deferred wake; NULL: in the thread */
    uint32_t bits; /* with which it sleeps: as the mutex has it, and one more of its own */
};

_Static_assert(offsetof(struct waiter, wait) == 0, "the clean-up finds the waiter");

static inline struct waiter *waiter_at(struct fw_waiter_node_ *p)
{
    return p == NULL ? NULL : (struct waiter *)((char *)p - offsetof(struct waiter, node));
}

/* Operations (core/operation.h) are queued among the threads: these find the threads only. */
static inline struct waiter *thread_from(struct fw_waiter_node_ *p)
{
    while (p != NULL && p->is_operation)
        p = fw_waitqueue_next_(p);
    return waiter_at(p);
}

static inline struct waiter *first_of(const struct fw_waitqueue_ *bucket, const fw_cond *c)
{
    return thread_from(fw_waitqueue_first_(bucket, c));
}

static inline struct waiter *after(const struct waiter *w)
{
    return thread_from(fw_waitqueue_next_(&w->node));
}

static inline bool is_queue_empty(const struct fw_waitqueue_ *bucket, const fw_cond *c)
{
    return fw_waitqueue_first_(bucket, c) == NULL;
}

/* Is nobody queued but this one? */
static inline bool is_alone(const struct fw_waitqueue_ *bucket, const struct waiter *w)
{
    return fw_waitqueue_first_(bucket, w->c) == &w->node && fw_waitqueue_next_(&w->node) == NULL;
}

/* If several are queued it is the first, if any. */
static inline bool is_real_time(const struct waiter *w)
{
    return w->node.urgency > 0;
}

static inline bool is_unmovable(const struct waiter *w)
{
    return w->m == NULL;
}

static inline bool is_marked(const struct waiter *w)
{
    return fw_load32_acquire(&w->state) >= WOKEN;
}

/* AWAKE, ASLEEP, MOVING -> how.  The waiter may be gone once this is done. */
static inline void mark(struct fw_waitqueue_ *bucket, struct waiter *w, uint32_t how)
{
    fw_waitqueue_remove_(bucket, &w->node);
    fw_store32_release(&w->state, how);
}

/*
 * One of the bits 8 to 31, by the address on the stack: threads that sleep at once mostly have
 * different ones.
 */
static inline uint32_t bit_of(const struct waiter *w)
{
    uint64_t mixed = (uint64_t)(uintptr_t)w * UINT64_C(0x9e3779b97f4a7c15);

    return UINT32_C(256) << (mixed >> 32) % 24;
}

/* seq_ gets a value that it has not had. */
static inline void change_seq(fw_cond *c)
{
    fw_store32_relaxed(&c->seq_, fw_stamp_());
}

/* COND_SIGNALS, or 0. */
static inline uint32_t mode_of(const fw_cond *c)
{
    return fw_load32_relaxed(&c->waiters_) & COND_SIGNALS;
}

/* The queue is, or is about to be, empty: perhaps the last access to the variable. */
static inline void clear_waiters(fw_cond *c)
{
    fw_store32_release(&c->waiters_, mode_of(c));
}

/*
 * --- cond_operation.c ---------------------------------------------------------------------------
 *
 * Inside the bucket.  The first of the queue, if that is an operation which is no loser of its
 * group; else NULL.
 */
fw_await *fw_cond_first_operation_(struct fw_waitqueue_ *bucket, const fw_cond *c);

/* Signals the first of the queue, an operation; the variable may be gone afterwards. */
struct fw_wakeup_ fw_cond_signal_operation_(struct fw_waitqueue_ *bucket, fw_cond *c, fw_await *op);

/*
 * Signals all operations that are queued; *n more were.  Returns the bucket, or NULL: it was left
 * meanwhile, nobody is queued, and the variable may be gone.
 */
struct fw_waitqueue_ *fw_cond_signal_operations_(struct fw_waitqueue_ *bucket, const fw_cond *c,
                                                 struct fw_wakeups_ *wakeups, uint32_t *n);

/* Queues an operation, whose object_ is the variable. */
void fw_cond_enqueue_(fw_cond *c, fw_await *op);

/* Inside the bucket: an operation has been taken out of the queue.  Leaves the bucket. */
void fw_cond_dequeued_(struct fw_waitqueue_ *bucket, fw_await *op);

/* Passes a wake that a cancelled waiter may have had to the next waiter; leaves the bucket. */
void fw_cond_pass_on_(struct fw_waitqueue_ *bucket, fw_cond *c);

#endif
