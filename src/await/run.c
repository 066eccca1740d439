/* SPDX-License-Identifier: MIT */
/*
 * What a loop does when it is run: delivers what was granted, and what has timed out.  Contract:
 * furwock/await.h.
 *
 * Origin: continuations run by the loop, never inside a release: resuming there recursed in
 * cppcoro's async_mutex, and kept the releaser from going on.
 */
#include <errno.h>
#include <stddef.h>

#include <furwock/bits/atomic.h>

#include "await/loop.h"
#include "await/operation.h"
#include "sys/clock.h"

/* Without a limit of the caller's: as many, or as there were at the beginning, if that is more. */
#define DELIVERIES_PER_RUN 1024u

/* An operation is late this long after it was granted. */
#define LATE_NS UINT64_C(10000000)

static uint64_t n_late;

static bool is_late(const fw_await *op, uint64_t now)
{
    return now >= op->since_ + LATE_NS;
}

void fw_loop_note_late_(const fw_await *op)
{
    if (is_late(op, fw_clock_coarse_ns_()))
        __atomic_add_fetch(&n_late, 1, __ATOMIC_RELAXED);
}

uint64_t fw_await_late(void)
{
    return __atomic_load_n(&n_late, __ATOMIC_RELAXED);
}

unsigned fw_loop_late(fw_loop *loop)
{
    struct fw_inbox_ *in = &loop->inbox;
    uint64_t now = fw_clock_coarse_ns_();
    unsigned n = 0;

    fw_bucket_lock_(&in->lock);
    for (const fw_await *op = in->list.first; op != NULL && is_late(op, now); op = op->next_)
        n++;
    fw_bucket_unlock_(&in->lock);
    return n;
}

/* The operation is over, and may be freed, or used again, by done. */
static void deliver(fw_await *op, int error)
{
    void (*done)(fw_await *, int) = op->call_.done;

    op->result_ = (uint16_t)error;
    fw_operation_tell_(op, error);
    if (done != NULL)
        done(op, error);
}

/* One that was granted: true if it was delivered. */
static bool deliver_granted(fw_await *op)
{
    if (fw_load32_relaxed(&op->state_) == FW_OPERATION_SIGNALLED) {
        if (fw_operation_kind_(op)->go_on(op) == EINPROGRESS)
            return false;
    }
    deliver(op, fw_operation_end_(op));
    return true;
}

/* The first whose deadline has passed at *now (0: not looked yet), out of the heap; or NULL. */
static fw_await *take_expired(struct fw_timers_ *t, uint64_t *now)
{
    fw_await *op = t->first;

    if (op == NULL)
        return NULL;
    if (*now == 0)
        *now = fw_timers_now_(t);
    if (op->more_.deadline > *now)
        return NULL;
    fw_timers_remove_(t, op);
    op->timer_ = 0;
    return op;
}

/* At most `most`; returns how many were delivered. */
static unsigned expire(fw_loop *loop, struct fw_timers_ *t, unsigned most)
{
    uint64_t now = 0;
    unsigned n = 0;

    while (n < most) {
        fw_await *op = take_expired(t, &now);
        int error;

        if (op == NULL)
            break;
        error = fw_operation_expire_(op);
        if (error == EINPROGRESS)
            continue;
        fw_loop_remove_(loop, op);
        fw_store32_relaxed(&op->state_, FW_OPERATION_OVER);
        deliver(op, error);
        n++;
    }
    return n;
}

static void begin(fw_loop *loop)
{
    loop->is_running = true;
    if (fw_inbox_is_asleep_(&loop->inbox))
        fw_inbox_awake_(&loop->inbox);
    if (loop->regions != NULL)
        loop->regions->run(loop);
}

static void finish(fw_loop *loop)
{
    if (loop->regions != NULL)
        loop->regions->flush(loop);
    loop->is_running = false;
    if (!loop->has_poller)
        return;
    fw_loop_arm_(loop);
    fw_inbox_sleeps_(&loop->inbox);
    if (fw_load32_relaxed(&loop->regions_due) != 0)
        fw_loop_kick_(loop); /* flush did, but it was not asleep then */
}

unsigned fw_loop_run(fw_loop *loop, unsigned most)
{
    unsigned n = 0, limit = most;

    if (!fw_loop_is_here_(loop))
        return 0;
    begin(loop);
    if (most == 0) {
        limit = fw_load32_relaxed(&loop->inbox.n);
        limit = limit > DELIVERIES_PER_RUN ? limit : DELIVERIES_PER_RUN;
    }
    for (unsigned i = 0; i < 2 && n < limit; i++)
        n += expire(loop, &loop->timers[i], limit - n);
    while (n < limit) {
        fw_await *op = fw_inbox_take_(&loop->inbox);

        if (op == NULL)
            break;
        n += deliver_granted(op);
    }
    finish(loop);
    return n;
}

/* --- Operations that wait for no lock --------------------------------------------------------- */

int fw_loop_post(fw_await *op)
{
    if (op->loop_ == NULL || fw_operation_has_waker_(op) || !fw_loop_is_here_(op->loop_))
        return EINVAL;
    if (fw_operation_is_busy_(op))
        return EBUSY;
    op->kind_ = FW_OPERATION_POST;
    fw_wakeup_(fw_operation_deliver_(op, 0));
    return 0;
}

int fw_await_timer(fw_await *op, const fw_deadline *deadline)
{
    fw_loop *loop = op->loop_;
    int error;

    if (deadline == NULL)
        return EINVAL;
    error = fw_operation_begin_(op, FW_OPERATION_TIMER, op, deadline);
    if (error == ETIMEDOUT)
        return fw_operation_taken_(op, FW_OPERATION_TIMER, op);
    if (error != 0)
        return error;
    fw_store32_relaxed(&op->state_, FW_OPERATION_WAITING);
    return fw_operation_queued_(loop, op, deadline);
}

static bool stop_timer(fw_await *op)
{
    if (fw_load32_relaxed(&op->state_) == FW_OPERATION_GRANTED)
        return false;
    fw_store32_relaxed(&op->state_, FW_OPERATION_OVER);
    return true;
}

static void give_nothing_back(fw_await *op)
{
    (void)op;
}

static int timer_expired(fw_await *op)
{
    (void)op;
    return 0;
}

const struct fw_operation_kind_ fw_operation_post_ = {.stop = stop_timer,
                                                      .give_back = give_nothing_back};
const struct fw_operation_kind_ fw_operation_timer_ = {
    .stop = stop_timer, .give_back = give_nothing_back, .expired = timer_expired};
