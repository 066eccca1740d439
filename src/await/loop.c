/* SPDX-License-Identifier: MIT */
/*
 * Making, waiting for and ending a loop, and its timers.  Contract: furwock/await.h.  What is in
 * it: loop.h.  What it does: run.c.
 */
#include "await/loop.h"

#include <errno.h>
#include <stdlib.h>

#include <furwock/bits/atomic.h>

#include "await/operation.h"
#include "core/recheck.h"
#include "sys/clock.h"
#include "sys/descriptors.h"

static struct fw_timers_ *timers_of(fw_loop *loop, clockid_t clock)
{
    return &loop->timers[clock == CLOCK_REALTIME];
}

static void close_all(fw_loop *loop)
{
    for (unsigned i = 0; i < 2; i++)
        if (loop->timers[i].fd >= 0)
            fw_descriptor_close_(loop->timers[i].fd);
    if (loop->inbox.event >= 0)
        fw_descriptor_close_(loop->inbox.event);
    if (loop->poll >= 0)
        fw_descriptor_close_(loop->poll);
}

static int open_all(fw_loop *loop)
{
    loop->poll = fw_poll_make_();
    loop->inbox.event = loop->poll < 0 ? loop->poll : fw_event_make_();
    return loop->inbox.event < 0 ? -loop->inbox.event : fw_poll_add_(loop->poll, loop->inbox.event);
}

int fw_loop_create(fw_loop **loop, const fw_loop_options *options)
{
    fw_loop *made;
    int error;

    if (options != NULL && ((unsigned)options->engine > FW_LOOP_THREAD || options->reserved != 0))
        return EINVAL;
    made = calloc(1, sizeof *made);
    if (made == NULL)
        return ENOMEM;
    made->engine = options != NULL ? options->engine : FW_LOOP_AUTO;
    made->timers[0] = (struct fw_timers_){.clock = CLOCK_MONOTONIC, .fd = -1};
    made->timers[1] = (struct fw_timers_){.clock = CLOCK_REALTIME, .fd = -1};
    made->life = fw_life_();
    error = open_all(made);
    if (error != 0) {
        close_all(made);
        free(made);
        return error;
    }
    *loop = made;
    return 0;
}

int fw_loop_destroy(fw_loop *loop)
{
    bool is_here = fw_loop_is_here_(loop);

    if (is_here && (loop->waiting != 0 || !fw_inbox_is_empty_(&loop->inbox)))
        return EBUSY;
    if (loop->regions != NULL)
        loop->regions->end(loop);
    if (is_here)
        fw_inbox_end_(&loop->inbox);
    close_all(loop);
    free(loop);
    return 0;
}

/* --- Timers -----------------------------------------------------------------------------------*/

static int make_timer(fw_loop *loop, struct fw_timers_ *t)
{
    int fd = fw_timer_make_(t->clock);
    int error = fd < 0 ? -fd : fw_poll_add_(loop->poll, fd);

    if (error == 0)
        t->fd = fd;
    else if (fd >= 0)
        fw_descriptor_close_(fd);
    return error;
}

int fw_loop_prepare_timer_(fw_loop *loop, clockid_t clock)
{
    struct fw_timers_ *t = timers_of(loop, clock);

    return t->fd >= 0 ? 0 : make_timer(loop, t);
}

static uint64_t earliest(const fw_loop *loop, const struct fw_timers_ *t)
{
    uint64_t when = fw_timers_earliest_(t);

    return t->clock == CLOCK_MONOTONIC && loop->regions_at != 0 && loop->regions_at < when
               ? loop->regions_at
               : when;
}

void fw_loop_arm_(fw_loop *loop)
{
    for (unsigned i = 0; i < 2; i++)
        fw_timers_arm_(&loop->timers[i], earliest(loop, &loop->timers[i]));
}

void fw_loop_add_(fw_loop *loop, fw_await *op, const fw_deadline *deadline)
{
    loop->waiting++;
    if (deadline == NULL)
        return;
    op->more_.deadline = fw_timers_ns_(&deadline->at);
    op->timer_ = deadline->clock == CLOCK_REALTIME ? 2 : 1;
    fw_timers_insert_(&loop->timers[op->timer_ - 1], op);
    if (loop->has_poller && !loop->is_running)
        fw_loop_arm_(loop);
}

void fw_loop_stop_timer_(fw_loop *loop, fw_await *op)
{
    if (op->timer_ != 0)
        fw_timers_remove_(&loop->timers[op->timer_ - 1], op);
    op->timer_ = 0;
}

void fw_loop_remove_(fw_loop *loop, fw_await *op)
{
    if (op->is_listed_ && !fw_operation_has_waker_(op))
        fw_inbox_remove_(&loop->inbox, op);
    fw_loop_stop_timer_(loop, op);
    if (op->kind_ != FW_OPERATION_POST)
        loop->waiting--;
}

/* --- Waiting for something to do -------------------------------------------------------------- */

int fw_loop_fd(fw_loop *loop)
{
    if (!loop->has_poller && fw_loop_is_here_(loop)) {
        loop->has_poller = true;
        fw_loop_arm_(loop);
        fw_inbox_sleeps_(&loop->inbox);
    }
    return loop->poll;
}

/* Nanoseconds until a deadline of the loop passes; 0: one has, or there is something to do. */
static uint64_t idle_ns(fw_loop *loop)
{
    uint64_t least = FW_POLL_FOREVER_;

    if (!fw_inbox_is_empty_(&loop->inbox) || fw_load32_acquire(&loop->regions_due) != 0)
        return 0;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t when = earliest(loop, &loop->timers[i]), now, left;

        if (when == FW_TIMERS_NEVER_)
            continue;
        now = fw_timers_now_(&loop->timers[i]);
        left = when > now ? when - now : 0;
        if (i == 1 && left > FW_RECHECK_REALTIME_NS) /* that clock may be set */
            left = FW_RECHECK_REALTIME_NS;
        if (left < least)
            least = left;
    }
    return least;
}

/* Sleeps for ns at most: 0, EINTR, ETIMEDOUT. */
static int sleep_once(fw_loop *loop, uint64_t ns)
{
    int error;

    fw_inbox_sleeps_(&loop->inbox);
    error = fw_poll_wait_(loop->poll, ns);
    if (!loop->has_poller)
        fw_inbox_awake_(&loop->inbox);
    return error;
}

int fw_loop_wait(fw_loop *loop, const fw_deadline *deadline)
{
    if (!fw_loop_is_here_(loop) || !fw_deadline_is_valid_(deadline))
        return EINVAL;
    for (;;) {
        uint64_t idle = idle_ns(loop);
        uint64_t most = deadline != NULL && deadline->clock == CLOCK_REALTIME
                            ? FW_RECHECK_REALTIME_NS
                            : FW_RECHECK_MAX_NS;
        uint64_t left = deadline == NULL ? idle : fw_deadline_left_(deadline, most);
        int error;

        if (idle == 0)
            return 0;
        if (left == 0)
            return ETIMEDOUT;
        error = sleep_once(loop, left < idle ? left : idle);
        if (error != ETIMEDOUT)
            return error;
    }
}

/* --- For other parts of the library ----------------------------------------------------------- */

void fw_loop_kick_(fw_loop *loop)
{
    fw_inbox_kick_(&loop->inbox);
}

int fw_loop_watch_fd_(fw_loop *loop, int fd)
{
    return fw_poll_add_(loop->poll, fd);
}

void fw_loop_unwatch_fd_(fw_loop *loop, int fd)
{
    fw_poll_remove_(loop->poll, fd);
}
