/* SPDX-License-Identifier: MIT */
#ifndef FW_AWAIT_LOOP_H
#define FW_AWAIT_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/await.h>

#include "await/timers.h"
#include "core/inbox.h"
#include "sys/fork.h"

/*
 * A loop.  All of it is for its own thread, except the inbox and `regions_due`.
 *
 * Its descriptor is an epoll instance with the inbox's event, a timer for each clock on which there
 * have been deadlines, and what the engine adds.  Timers are set only for those who wait on the
 * descriptor: fw_loop_wait knows the earliest deadline.
 */
/* What a loop does for locks between processes; NULL in a loop that has none. */
struct fw_regions_ {
    void (*run)(fw_loop *loop);   /* at the beginning of fw_loop_run */
    void (*flush)(fw_loop *loop); /* at its end */
    void (*end)(fw_loop *loop);   /* nothing waits any more, or in a forked child */
};

struct fw_loop {
    struct fw_inbox_ inbox;      /* first: core/operation.c finds it by the loop's address */
    struct fw_timers_ timers[2]; /* CLOCK_MONOTONIC, CLOCK_REALTIME */
    uint64_t life;               /* of the process that made it: sys/fork.h */
    uint32_t waiting;            /* operations that were queued, and are not over */
    int poll;
    bool has_poller; /* the descriptor was asked for */
    bool is_running; /* in fw_loop_run */

    /* Locks between processes. */
    fw_loop_engine engine;
    struct fw_regions_ *regions; /* NULL: there have been none */
    uint64_t regions_at;         /* CLOCK_MONOTONIC: when to run; 0: when there is a reason */
    uint32_t regions_due;        /* any thread sets it, and kicks */
};

_Static_assert(offsetof(struct fw_loop, inbox) == 0, "found by the loop's address");

/* Not after a fork. */
static inline bool fw_loop_is_here_(const fw_loop *loop)
{
    return fw_life_is_(loop->life);
}

/* Sets the timers to the earliest deadlines, for those who wait on the descriptor. */
void fw_loop_arm_(fw_loop *loop);

/* A deadline on that clock may be added: 0, or ENOMEM, EMFILE and so on. */
int fw_loop_prepare_timer_(fw_loop *loop, clockid_t clock);

/* An operation was queued. */
void fw_loop_add_(fw_loop *loop, fw_await *op, const fw_deadline *deadline);

/* Its deadline counts no more. */
void fw_loop_stop_timer_(fw_loop *loop, fw_await *op);

/* It is over: takes it out of the inbox and of the timers, if it is in them. */
void fw_loop_remove_(fw_loop *loop, fw_await *op);

/* An operation that was granted is delivered: was it late? */
void fw_loop_note_late_(const fw_await *op);

/* Any thread: has the loop run. */
void fw_loop_kick_(fw_loop *loop);

/* Another descriptor that makes the loop run when it is readable: 0, or a positive errno. */
int fw_loop_watch_fd_(fw_loop *loop, int fd);
void fw_loop_unwatch_fd_(fw_loop *loop, int fd);

#endif
