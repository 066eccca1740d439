/* SPDX-License-Identifier: MIT */
/* Operations that wait for a condition variable: CV8, and the other invariants, are in cond.c. */
#include <stddef.h>

#include "sys/clock.h"
#include "thread/cond_queue.h"

/* Wakers that are called at once; the other half of the room is for loops. */
#define WAKERS_MAX (FW_WAKEUPS_MAX_ / 2)

void fw_cond_enqueue_(fw_cond *c, fw_await *op)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(c);

    fw_store32_relaxed(&c->waiters_, mode_of(c) | COND_WAITERS);
    fw_operation_enqueue_(bucket, op);
    fw_waitqueue_unlock_(bucket);
}

void fw_cond_dequeued_(struct fw_waitqueue_ *bucket, fw_await *op)
{
    fw_cond *c = (fw_cond *)(uintptr_t)op->object_;

    if (is_queue_empty(bucket, c))
        clear_waiters(c);
    fw_waitqueue_unlock_(bucket);
}

fw_await *fw_cond_first_operation_(struct fw_waitqueue_ *bucket, const fw_cond *c)
{
    struct fw_waiter_node_ *p;

    while ((p = fw_waitqueue_first_(bucket, c)) != NULL && p->is_operation)
        if (fw_operation_claim_(bucket, fw_operation_of_(p)))
            return fw_operation_of_(p);
    return NULL;
}

struct fw_wakeup_ fw_cond_signal_operation_(struct fw_waitqueue_ *bucket, fw_cond *c, fw_await *op)
{
    if (fw_waitqueue_next_(fw_operation_node_(op)) == NULL)
        clear_waiters(c);
    return fw_operation_signal_(bucket, op);
}

/* Signals those that were queued by then.  True: there are more. */
static bool signal_some(struct fw_waitqueue_ *bucket, const fw_cond *c, uint64_t then,
                        struct fw_wakeups_ *wakeups, uint32_t *n)
{
    struct fw_waiter_node_ *p, *next;
    uint32_t wakers = 0;

    for (p = fw_waitqueue_first_(bucket, c); p != NULL; p = next) {
        fw_await *op = fw_operation_of_(p);
        struct fw_wakeup_ w;
        bool is_loop;

        next = fw_waitqueue_next_(p);
        if (!p->is_operation || op->since_ > then)
            continue;
        is_loop = op->loop_ != NULL;
        if (!is_loop && wakers++ == WAKERS_MAX)
            return true;
        if (!fw_operation_claim_(bucket, op))
            continue;
        *n += 1;
        w = fw_operation_signal_(bucket, op);
        if (is_loop && wakeups->n >= WAKERS_MAX)
            fw_wakeup_(w); /* a loop may be kicked inside the bucket */
        else
            fw_wakeups_add_(wakeups, w);
    }
    return false;
}

struct fw_waitqueue_ *fw_cond_signal_operations_(struct fw_waitqueue_ *bucket, const fw_cond *c,
                                                 struct fw_wakeups_ *wakeups, uint32_t *n)
{
    const struct fw_waiter_node_ *p = fw_waitqueue_first_(bucket, c);
    uint64_t then;

    wakeups->n = 0;
    while (p != NULL && !p->is_operation)
        p = fw_waitqueue_next_(p);
    if (p == NULL)
        return bucket;
    then = fw_clock_ns_();
    while (signal_some(bucket, c, then, wakeups, n)) {
        fw_waitqueue_unlock_(bucket);
        fw_wakeups_(wakeups);
        wakeups->n = 0;
        bucket = fw_waitqueue_lock_(c);
        if (is_queue_empty(bucket, c)) {
            fw_waitqueue_unlock_(bucket);
            return NULL;
        }
    }
    return bucket;
}
