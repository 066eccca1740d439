/* SPDX-License-Identifier: MIT */
#ifndef FW_AWAIT_REGION_H
#define FW_AWAIT_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/await.h>

#include "await/engine.h"
#include "await/loop.h"
#include "core/bucket_lock.h"
#include "core/operation.h"
#include "core/operation_list.h"
#include "ipc/region/keeper.h"

/*
 * Operations that wait for objects of a region.  Public contract: furwock/ipc/await.h.
 *
 * A loop has a *watch* for each object that its operations wait for: their queue, and what it has
 * in the kernel for all of them.
 *
 *   AWI1  One wait in the kernel for a watch, on the object's word, whose waiters flag is set.  It
 *         compares, so that no change after the look is missed (ENG1).
 *   AWI2  What comes back from the kernel has taken a wake.  The loop looks; whoever gets the
 *         object after that wakes one more there, as a thread does (IWAIT1), and so does a watch
 *         without operations.
 *   AWI3  A watch looks by itself at the end of each re-check interval (IWAIT: the same lengths).
 *         From the first one on it also has a wait on the life of the holder, and the loop has one
 *         on the alarm of the region: deaths are told then.  Before that its look finds them.
 *   AWI4  Operations enter and leave the queue of a watch in the lock of its bucket.  A loop's own
 *         thread adds them, takes them out, and grants what the loop has taken; a release by a task
 *         of this process, in any thread, grants the first one (ITSK2).
 *   AWI5  Watches and their kernel waits belong to the loop's thread.  Others see queues only.
 *
 * Deaths: what a killed process has in its queues and watches is in its own memory, and what it has
 * in the kernel goes with it (IWAIT6, KPR2).  Between any two steps of arm, come back, take, pass
 * and release the words of the region are as if a thread of it had been killed there.
 */
struct fw_watch_;

/* What is to be waited for, after a look that has failed. */
struct fw_look_ {
    const struct fw_ipc_me_ *keeper;
    bool asks;            /* an interval has passed: find out about unmarked deaths, too */
    bool was_told;        /* the kernel has said that there may be something */
    const uint32_t *word; /* whose waiters flag is set; it was `expected` */
    uint32_t expected;
    uint64_t holder; /* whose death matters; 0: nobody's */
};

/* An object that can be waited for. */
struct fw_target_ {
    /*
     * Tries to get it for the operation, in its loop's thread, outside of locks.  EBUSY: *look says
     * what to wait for.  Else the result: 0, EOWNERDEAD: it has it.
     */
    int (*attempt)(fw_await *op, struct fw_look_ *look);
    /* Would it wait for itself?  0, EDEADLK.  NULL: never. */
    int (*check)(const fw_await *op, const struct fw_ipc_me_ *keeper);
    /* It has it, and is not wanted: gives it back. */
    void (*give_back)(fw_await *op);
    /* Is what it gets held by the task until it is released (KPR1, IWAIT1)? */
    bool is_held;
};

enum { FW_TARGET_MUTEX_, FW_TARGET_SEM_, FW_TARGET_WORD_, FW_TARGETS_ };
extern const struct fw_target_ fw_target_mutex_, fw_target_sem_, fw_target_word_;
extern const struct fw_target_ *const fw_targets_[FW_TARGETS_];

static inline const struct fw_target_ *fw_target_of_(const fw_await *op)
{
    return fw_targets_[op->want_];
}

/* The queue and the kernel waits of a loop for one object. */
struct fw_watch_ {
    struct fw_watch_ *next_in_bucket;
    struct fw_watch_ *next;      /* of its loop */
    struct fw_watch_ *next_todo; /* something of it has come back */
    bool is_todo;
    fw_loop *loop;
    const void *object;
    const struct fw_ipc_mapping_ *mapping;
    struct fw_operation_list_ queue; /* AWI4 */
    uint32_t passes;                 /* from task to task, one after the other */
    uint64_t passes_since;           /* ns */
    struct fw_kernel_wait_ word;     /* AWI1 */
    struct fw_kernel_wait_ life;     /* AWI3 */
    bool was_told;
    bool is_blind; /* the holder's death is not marked: intervals do not grow */
    uint32_t intervals;
    uint64_t recheck_ns, recheck_at; /* CLOCK_MONOTONIC */
};

/* What a loop has in the kernel for a region in which it has watches: a wait on its alarm. */
struct fw_region_alarm_ {
    struct fw_kernel_wait_ wait;
    const struct fw_ipc_mapping_ *mapping;
    uint32_t watches;
};

/* What a loop does with objects of regions. */
struct fw_region_loop_ {
    struct fw_regions_ base;
    struct fw_engine_ *engine;
    struct fw_watch_ *watches;
    struct fw_watch_ *todo;
    bool is_partial;                           /* ENG4 */
    struct fw_region_alarm_ alarms[FW_RANGES]; /* by the index of the mapping */
};

/* --- region.c: queues ------------------------------------------------------------------------- */

/* Submits: as the calls of furwock/ipc/await.h. */
int fw_region_submit_(fw_await *op, unsigned target, const void *object,
                      const fw_deadline *deadline);

/* A watch becomes known to releases, or is forgotten. */
void fw_watch_enter_(struct fw_watch_ *w);
void fw_watch_forget_(struct fw_watch_ *w);

/* The loop's watch for this object, or NULL.  Has it a queue? */
struct fw_watch_ *fw_watch_of_(const fw_loop *loop, const void *object, bool *has_queue);

/* The first operation of the queue: for the loop's thread, before it looks.  NULL: none. */
fw_await *fw_watch_first_(struct fw_watch_ *w);

/*
 * The operation has got what it waits for: delivers it.  False: it is not the first any more, or
 * another of its group has ended; then it was not delivered, and what it has got is to be given
 * back.
 */
bool fw_watch_deliver_(struct fw_watch_ *w, fw_await *op, int result);

/* --- watch.c: the loop's side ----------------------------------------------------------------- */

/* A watch for this object, new if need be: 0, ENOMEM, or that the engine cannot be had. */
int fw_watch_make_(fw_loop *loop, const void *object, const struct fw_ipc_mapping_ *mapping,
                   struct fw_watch_ **w);

/* An operation was queued, for which a look has failed: waits for what it says. */
void fw_watch_arm_(struct fw_watch_ *w, const struct fw_look_ *look);

/* Looks for the operations of the queue. */
void fw_watch_look_(struct fw_watch_ *w, bool asks);

/* Nobody waits any more: by the end of a first interval it is taken out of the kernel. */
void fw_watch_idle_(struct fw_watch_ *w);

/* What was armed outside of fw_loop_run is begun. */
void fw_watch_begin_(fw_loop *loop);

#endif
