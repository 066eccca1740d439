/* SPDX-License-Identifier: MIT */
#ifndef FW_AWAIT_REGION_H
#define FW_AWAIT_REGION_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <furwock/await.h>

#include "await/engine.h"
#include "await/loop.h"
#include "core/bucket_lock.h"
#include "core/operation.h"
#include "core/operation_list.h"
#include "ipc/region/agent.h"

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
 *   AWI6  An alarm that rings before a loop listens to it is not heard.  So once that wait is in
 *         the kernel, the loop looks at all words again: whoever was woken there, and died, had
 *         been woken by a change that this look sees.
 *
 * Deaths: what a killed process has in its queues and watches is in its own memory, and what it has
 * in the kernel goes with it (IWAIT6, AGT2).  Between any two steps of arm, come back, take, pass
 * and release the words of the region are as if a thread of it had been killed there.
 */
struct fw_watch_;

#ifndef FW_OF_PROCESS_ /* the model has several processes */
#define FW_OF_PROCESS_
#endif

/* Holders of an object whose lives a loop watches at a time; of more, others after intervals. */
enum { FW_LOOK_HOLDERS_ = 16 };

/* What is to be waited for, after a look that has failed. */
struct fw_look_ {
    const struct fw_ipc_me_ *agent;
    bool asks;            /* an interval has passed: find out about unmarked deaths, too */
    bool was_told;        /* the kernel has said that there may be something */
    bool was_moved;       /* in: maybe what is armed waits elsewhere by now: arm it anew */
    bool is_partial;      /* there are more holders than these */
    uint32_t round;       /* of intervals: others of them in each */
    const uint32_t *word; /* whose waiters flag is set; it was `expected` */
    uint32_t expected;
    uint32_t beside_expected;
    const uint32_t *beside; /* on which one is moved to a life (ICV6); NULL: none */
    uint32_t n;
    uint64_t holders[FW_LOOK_HOLDERS_]; /* whose death matters */
};

/* An attempt has seen to the queue itself: its first, if there is one, is looked for again. */
enum { FW_LOOK_AGAIN_ = -1 };

/* An object that can be waited for. */
struct fw_watch_;
struct fw_target_ {
    /*
     * Tries to get it for the operation, in its loop's thread, outside of locks.  EBUSY: *look says
     * what to wait for.  Else the result: 0, EOWNERDEAD: it has it.  FW_LOOK_AGAIN_.
     */
    int (*attempt)(fw_await *op, struct fw_look_ *look);
    /* Would it wait for itself?  0, EDEADLK.  NULL: never. */
    int (*check)(const fw_await *op, const struct fw_ipc_me_ *agent);
    /* It has it, and is not wanted: gives it back. */
    void (*give_back)(fw_await *op);
    /* It was queued, and is so no more, for whatever reason; in the bucket's lock.  Or NULL. */
    void (*dequeued)(fw_await *op);
    /* It was queued, and has got nothing: cancelled, or its deadline is over.  Or NULL. */
    void (*left)(struct fw_watch_ *w, fw_await *op);
    /* May the wait on the word have been moved elsewhere?  NULL: never. */
    bool (*was_moved)(const struct fw_watch_ *w);
    /* It was, and may have taken a wake there: gives it back. */
    void (*pass_on)(const struct fw_watch_ *w);
    /* As fw_operation_kind_.expired; NULL: ETIMEDOUT. */
    int (*expired)(fw_await *op);
    /* Is what it gets held by the task until it is released (AGT1, IWAIT1)? */
    bool is_held;
    /* Does EOWNERDEAD mean that it has not got it? */
    bool refuses_dead;
    /* Can it be handed the mutex by another task (ITSK2)? */
    bool is_mutex;
    /* Operations with the same number wait for an object in one queue. */
    uint8_t queue;
};

enum {
    FW_TARGET_MUTEX_,
    FW_TARGET_SEM_,
    FW_TARGET_WORD_,
    FW_TARGET_PERMITS_,
    FW_TARGET_COND_,
    FW_TARGET_RELOCK_, /* the mutex, after the condition */
    FW_TARGET_READ_,
    FW_TARGET_WRITE_,
    FW_TARGETS_
};
extern const struct fw_target_ fw_target_mutex_, fw_target_sem_, fw_target_word_,
    fw_target_permits_, fw_target_cond_, fw_target_relock_, fw_target_read_, fw_target_write_;
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
    uint8_t number;                  /* fw_target_.queue */
    uint32_t pins;                   /* operations that may need it yet */
    uint64_t seen;                   /* region_cond.c */
    uint32_t passes;                 /* from task to task, one after the other */
    uint64_t passes_since;           /* ns */
    struct fw_kernel_wait_ word;     /* AWI1 */
    uint32_t beside_then;            /* look->beside_expected, when that was armed */
    struct fw_kernel_wait_ beside;
    struct fw_kernel_wait_ lives[FW_LOOK_HOLDERS_]; /* AWI3 */
    bool was_told;
    bool is_blind;   /* a holder's death is not marked: intervals do not grow */
    bool is_partial; /* they grow to a second */
    uint32_t intervals;
    uint64_t recheck_ns, recheck_at; /* CLOCK_MONOTONIC */
};

/* What a loop has in the kernel for a region in which it has watches: a wait on its alarm. */
struct fw_region_alarm_ {
    struct fw_kernel_wait_ wait;
    const struct fw_ipc_mapping_ *mapping;
    uint32_t watches;
    bool is_new; /* AWI6 */
};

/* What a loop does with objects of regions. */
struct fw_region_loop_ {
    struct fw_regions_ base;
    struct fw_engine_ *engine;
    struct fw_watch_ *watches;
    struct fw_watch_ *todo;
    bool is_partial;                           /* ENG4 */
    bool has_new_alarm;                        /* one of these is_new */
    struct fw_region_alarm_ alarms[FW_RANGES]; /* by the index of the mapping */
};

/*
 * The queues for objects whose addresses have the same hash, and what tasks of this process hold of
 * read-write locks there (region_shares.h).
 */
struct fw_region_bucket_ {
    struct fw_bucket_lock_ lock;
    struct fw_watch_ *first;
    struct fw_shares_ *shares;
};

/* What an attempt has returned: has it got it? */
static inline bool fw_target_has_it_(const struct fw_target_ *target, int result)
{
    return result == 0 || (result == EOWNERDEAD && !target->refuses_dead);
}

/* The dead holder, in fields that the operation has no other use for. */
static inline void fw_region_keep_dead_(fw_await *op, uint64_t holder)
{
    op->urgency_ = (int32_t)(uint32_t)(holder >> 32);
    op->starves_ = (uint8_t)holder;
    op->yields_ = (uint8_t)(holder >> 8);
}

static inline uint64_t fw_region_kept_dead_(const fw_await *op)
{
    return (uint64_t)(uint32_t)op->urgency_ << 32 | (uint64_t)op->yields_ << 8 | op->starves_;
}

/* --- region.c: queues ------------------------------------------------------------------------- */

struct fw_region_bucket_ *fw_region_bucket_of_(const void *object);
struct fw_region_bucket_ *fw_region_bucket_lock_(const void *object);

static inline void fw_region_bucket_unlock_(struct fw_region_bucket_ *b)
{
    fw_bucket_unlock_(&b->lock);
}

/* Inside.  An operation is queued there, is so no more; the group of one has ended without it. */
void fw_watch_append_(struct fw_watch_ *w, fw_await *op);
void fw_watch_take_out_(struct fw_watch_ *w, fw_await *op);
bool fw_watch_has_lost_(struct fw_watch_ *w, fw_await *op);

/*
 * The same, by any thread that has taken one out: if nobody waits any more, the loop of the watch
 * sees to it; when it is run, if that is soon.
 */
void fw_watch_emptied_(struct fw_watch_ *w);

/* Submits: as the calls of furwock/ipc/await.h. */
int fw_region_submit_(fw_await *op, unsigned target, const void *object,
                      const fw_deadline *deadline);

/* A watch becomes known to releases, or is forgotten. */
void fw_watch_enter_(struct fw_watch_ *w);
void fw_watch_forget_(struct fw_watch_ *w);

/* The loop's watch for this object, and the queue of this number, or NULL.  Does one wait there? */
struct fw_watch_ *fw_watch_of_(const fw_loop *loop, const void *object, uint8_t number,
                               bool *has_queue);

/* The first operation of the queue: for the loop's thread, before it looks.  NULL: none. */
fw_await *fw_watch_first_(struct fw_watch_ *w);

/*
 * The operation has got what it waits for: delivers it.  False: it is not the first any more, or
 * another of its group has ended; then it was not delivered, and what it has got is to be given
 * back.
 */
bool fw_watch_deliver_(struct fw_watch_ *w, fw_await *op, int result);

/* The result of a granted operation; region_cond.c: of one that has waited for a condition. */
int fw_region_result_(const fw_await *op);
int fw_relock_result_(const fw_await *op);

/* --- watch.c: the loop's side ----------------------------------------------------------------- */

/* A new watch for this object: 0, ENOMEM, or that the engine cannot be had. */
int fw_watch_make_(fw_loop *loop, const void *object, uint8_t number,
                   const struct fw_ipc_mapping_ *mapping, struct fw_watch_ **w);

/* It is not freed, though nobody waits, until it was unpinned as often. */
void fw_watch_unpin_(struct fw_watch_ *w);

/* An operation was queued, for which a look has failed: waits for what it says. */
void fw_watch_arm_(struct fw_watch_ *w, const struct fw_look_ *look);

/* Looks for the operations of the queue. */
void fw_watch_look_(struct fw_watch_ *w, bool asks);

/* Nobody waits any more: by the end of a first interval it is taken out of the kernel. */
void fw_watch_idle_(struct fw_watch_ *w);

/* What was armed outside of fw_loop_run is begun. */
void fw_watch_begin_(fw_loop *loop);

#endif
