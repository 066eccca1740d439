/* SPDX-License-Identifier: MIT */
/*
 * The engine by io_uring.  Contract: engine.h; the ring: sys/uring.h.
 *
 * Each wait is one operation of the ring, whose tag is its address; a cancellation's tag is 0.  A
 * wait that has no room in the submission queue is kept in `waiting` until the next flush.
 *
 *   wait        queued in           left by
 *   waiting     nothing             flush: -> prepared; disarm: comes back cancelled
 *   prepared    submission queue    flush: -> queued
 *   queued      the kernel          completion: comes back
 */
#include <errno.h>
#include <stdlib.h>

#include <furwock/futex.h>

#include "await/engine.h"
#include "sys/descriptors.h"
#include "sys/uring.h"

/* 12 KiB: a process may have them that may lock 64 KiB into memory.  More waits are flushed. */
enum { RING_ENTRIES = 64 };

struct uring {
    struct fw_engine_ base;
    struct fw_uring_ ring;
    struct fw_kernel_wait_ *waiting; /* by `after` */
    struct fw_kernel_wait_ *queued;  /* prepared as well */
    struct fw_kernel_wait_ *back;    /* have come back, by `next` */
    uint32_t leaving;                /* cancellations that have had no room */
    bool may_be_raised;              /* something was taken since the descriptor was cleared */
    uint32_t empty;                  /* calls of reap that found nothing to look at */
};

/*
 * After this many of them the descriptor is cleared, so that this costs little where none need it.
 */
enum { EMPTY_MAX = 16 };

/* As `at` of a wait. */
enum { WAITING, QUEUED };

static struct uring *uring_of(struct fw_engine_ *e)
{
    return (struct uring *)e;
}

/* A ring that raises the engine's descriptor. */
static int open_ring(struct fw_uring_ *ring, int fd)
{
    int error = fw_uring_open_(ring, RING_ENTRIES);

    if (error != 0)
        return error;
    error = fw_uring_tell_(ring, fd);
    if (error != 0)
        fw_uring_close_(ring);
    return error;
}

static int open_uring(struct fw_engine_ **e)
{
    struct uring *u = calloc(1, sizeof *u);
    int fd = u != NULL ? fw_event_make_() : -ENOMEM;
    int error = fd < 0 ? -fd : open_ring(&u->ring, fd);

    if (error != 0) {
        if (fd >= 0)
            fw_descriptor_close_(fd);
        free(u);
        return error;
    }
    u->base = (struct fw_engine_){.kind = &fw_engine_uring_, .fd = fd};
    *e = &u->base;
    return 0;
}

static void come_back(struct uring *u, struct fw_kernel_wait_ *w, enum fw_wait_told_ told)
{
    fw_wait_unlink_(w);
    fw_wait_tell_(w, told, &u->back);
}

/* All completions that are there; false: none is. */
static bool take_all(struct uring *u)
{
    bool has_taken = false;
    uint64_t tag;
    int result;

    while (fw_uring_take_(&u->ring, &tag, &result)) {
        has_taken = u->may_be_raised = true;
        if (tag != 0)
            come_back(u, (struct fw_kernel_wait_ *)(uintptr_t)tag,
                      result == -ECANCELED ? FW_TOLD_CANCELLED_ : FW_TOLD_LOOK_);
    }
    return has_taken;
}

/*
 * The ring is another thread's: that of the thread which ran the loop before.  Its waits are lost
 * with it (they go when that thread ends): all are to look, and are armed in a new ring.
 */
static void lose_ring(struct uring *u)
{
    struct fw_uring_ fresh;

    if (open_ring(&fresh, u->base.fd) != 0)
        return; /* as it is: told to look all the same, at intervals (ENG4) */
    fw_uring_close_(&u->ring);
    u->ring = fresh;
    while (u->queued != NULL) {
        fw_futex_wake(u->queued->word, FW_FUTEX_ALL, FW_FUTEX_SHARED); /* ENG2: what it may take */
        come_back(u, u->queued, FW_TOLD_LOOK_);
    }
}

/* False: not all was taken. */
static bool enter(struct uring *u, uint32_t least)
{
    int error = fw_uring_enter_(&u->ring, least);

    take_all(u);
    return error == 0 || error == EINTR;
}

static bool put_wait(struct uring *u, struct fw_kernel_wait_ *w)
{
    if (!fw_uring_put_wait_(&u->ring, w->word, w->expected, (uintptr_t)w))
        return false;
    w->at = QUEUED;
    fw_wait_link_(&u->queued, w);
    return true;
}

static void arm(struct fw_engine_ *e, struct fw_kernel_wait_ *w)
{
    struct uring *u = uring_of(e);

    if (u->waiting == NULL && put_wait(u, w))
        return;
    w->at = WAITING;
    fw_wait_link_(&u->waiting, w);
}

static void disarm(struct fw_engine_ *e, struct fw_kernel_wait_ *w)
{
    struct uring *u = uring_of(e);

    if (w->told != FW_TOLD_NOTHING_ || w->is_leaving)
        return;
    w->is_leaving = true;
    if (w->at == WAITING)
        come_back(u, w, FW_TOLD_CANCELLED_);
    else if (!fw_uring_put_cancel_(&u->ring, (uintptr_t)w, 0))
        u->leaving++;
}

/* Cancellations that had no room: the few waits that are leaving are asked for again. */
static void put_leaving(struct uring *u)
{
    if (u->leaving == 0)
        return;
    u->leaving = 0;
    for (struct fw_kernel_wait_ *w = u->queued; w != NULL; w = w->after)
        if (w->is_leaving && !fw_uring_put_cancel_(&u->ring, (uintptr_t)w, 0)) {
            u->leaving++;
            return;
        }
}

/* Those that had no room, as far as they have it now. */
static void put_waiting(struct uring *u)
{
    struct fw_kernel_wait_ *w;

    while ((w = u->waiting) != NULL) {
        fw_wait_unlink_(w);
        if (!put_wait(u, w)) {
            fw_wait_link_(&u->waiting, w);
            return;
        }
    }
}

/* What was prepared goes into the kernel, and what it has completed comes out. */
static int enter_and_take(struct uring *u, bool *has_taken)
{
    int error = fw_uring_enter_(&u->ring, 0);

    if (error == EEXIST)
        lose_ring(u);
    *has_taken = take_all(u);
    return error == EINTR ? 0 : error;
}

/*
 * The ring says that it is due also where nothing is left to be done: the kernel queues a
 * completion, and sets the flag after that, by when this thread may have taken it.  Such a flag
 * stays until the next completion.  So a round that has taken nothing is the last.
 */
static bool flush(struct fw_engine_ *e)
{
    struct uring *u = uring_of(e);
    bool goes_on = fw_uring_is_due_(&u->ring) || u->waiting != NULL || u->leaving != 0;
    int error = 0;

    while (goes_on && error == 0) {
        bool has_taken;
        error = enter_and_take(u, &has_taken);
        put_leaving(u);
        if (error == 0)
            put_waiting(u);
        goes_on = fw_uring_has_put_(&u->ring) || u->waiting != NULL || u->leaving != 0 ||
                  (has_taken && fw_uring_is_due_(&u->ring));
    }
    return error == 0;
}

/*
 * It may be raised for nothing: by completions of a ring that was lost (and is closed later than
 * this thread has asked for it), or by one that was taken before the kernel came to raise it.
 */
static bool is_raised_for_nothing(struct uring *u)
{
    if (u->may_be_raised || fw_uring_is_due_(&u->ring) || ++u->empty < EMPTY_MAX)
        return false;
    u->empty = 0;
    return true;
}

/*
 * The descriptor is cleared first: what comes after that raises it again.  Each completion has
 * raised it, also one that a flush has taken.
 */
static struct fw_kernel_wait_ *reap(struct fw_engine_ *e)
{
    struct uring *u = uring_of(e);
    struct fw_kernel_wait_ *back;
    bool has_taken = true;

    if (is_raised_for_nothing(u))
        u->may_be_raised = true;
    while (u->may_be_raised || (has_taken && fw_uring_is_due_(&u->ring))) {
        u->may_be_raised = false;
        fw_event_read_(u->base.fd);
        if (fw_uring_is_due_(&u->ring) && enter_and_take(u, &has_taken) != 0)
            break;
    }
    back = u->back;
    u->back = NULL;
    return back;
}

/*
 * Cancels all, until none is queued.  What comes back woken has taken a wake: it is passed on.  In
 * another thread than the ring's that is refused: then all are woken who sleep there, after the
 * ring, and what it still takes for some milliseconds is found out by those who look at intervals.
 */
static void close_ring(struct fw_engine_ *e)
{
    struct uring *u = uring_of(e);
    bool is_mine = true;

    while (u->waiting != NULL)
        come_back(u, u->waiting, FW_TOLD_CANCELLED_);
    while (is_mine && u->queued != NULL) {
        if (fw_uring_put_cancel_all_(&u->ring, 0))
            is_mine = enter(u, 1);
        else
            is_mine = enter(u, 0);
    }
    fw_uring_close_(&u->ring);
    fw_descriptor_close_(u->base.fd);
    for (struct fw_kernel_wait_ *w = u->back; w != NULL; w = w->next)
        if (w->told == FW_TOLD_LOOK_)
            fw_futex_wake(w->word, 1, FW_FUTEX_SHARED);
    while (u->queued != NULL) {
        fw_futex_wake(u->queued->word, FW_FUTEX_ALL, FW_FUTEX_SHARED);
        come_back(u, u->queued, FW_TOLD_LOOK_);
    }
    free(u);
}

static void forget(struct fw_engine_ *e)
{
    fw_uring_close_(&uring_of(e)->ring);
    fw_descriptor_close_(e->fd);
    free(e);
}

const struct fw_engine_kind_ fw_engine_uring_ = {
    .name = "uring",
    .number = FW_ENGINE_URING_,
    .make = open_uring,
    .end = close_ring,
    .forget = forget,
    .arm = arm,
    .disarm = disarm,
    .flush = flush,
    .reap = reap,
};
