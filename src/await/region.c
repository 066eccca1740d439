/* SPDX-License-Identifier: MIT */
/*
 * The queues of operations that wait for objects of regions: how they get in, and how a release by
 * a task of this process finds them.  Contract, and AWI1 to AWI5: region.h.
 *
 * Origin: that those who wait for one lock stand in one queue, of which only the first needs the
 * kernel, is the CLH and MCS locks' (Magnusson et al. 1994; Mellor-Crummey and Scott 1991); that a
 * lock is passed on within a node at most so many times is the cohort locks' (Dice, Marathe and
 * Shavit, PPoPP 2012).
 */
#include "await/region.h"

#include <errno.h>
#include <stddef.h>

#include <furwock/bits/atomic.h>

#include "await/operation.h"
#include "core/recheck.h"
#include "ipc/task.h"
#include "sys/clock.h"
#include "sys/fork.h"

/* A lock is passed from task to task so many times, and for as long as anybody may starve. */
enum { PASSES_MAX = 16 };
#define PASSES_NS FW_STARVATION_NS

/* 64 buckets: a release looks at some watches of other objects if there are thousands. */
enum { BUCKETS = 64, BUCKET_SHIFT = 58 };
#define HASH UINT64_C(0x9e3779b97f4a7c15) /* 2^64 by the golden ratio (Knuth, volume 3, 6.4) */

struct bucket {
    struct fw_bucket_lock_ lock;
    struct fw_watch_ *first;
};

static struct bucket buckets[BUCKETS];

const struct fw_target_ *const fw_targets_[FW_TARGETS_] = {
    [FW_TARGET_MUTEX_] = &fw_target_mutex_,
    [FW_TARGET_SEM_] = &fw_target_sem_,
    [FW_TARGET_WORD_] = &fw_target_word_,
};

/* The parent's watches stay where they are, and nobody finds them. */
static void begin_anew(void)
{
    for (unsigned i = 0; i < BUCKETS; i++)
        buckets[i] = (struct bucket){0};
}

FW_CONSTRUCTOR static void watch_forks(void)
{
    fw_at_fork_(begin_anew);
}

static struct bucket *lock_bucket(const void *object)
{
    struct bucket *b = &buckets[(uintptr_t)object * HASH >> BUCKET_SHIFT];

    fw_bucket_lock_(&b->lock);
    return b;
}

static void unlock_bucket(struct bucket *b)
{
    fw_bucket_unlock_(&b->lock);
}

void fw_watch_enter_(struct fw_watch_ *w)
{
    struct bucket *b = lock_bucket(w->object);

    w->next_in_bucket = b->first;
    b->first = w;
    unlock_bucket(b);
}

void fw_watch_forget_(struct fw_watch_ *w)
{
    struct bucket *b = lock_bucket(w->object);
    struct fw_watch_ **at = &b->first;

    while (*at != w)
        at = &(*at)->next_in_bucket;
    *at = w->next_in_bucket;
    unlock_bucket(b);
}

struct fw_watch_ *fw_watch_of_(const fw_loop *loop, const void *object, bool *has_queue)
{
    struct bucket *b = lock_bucket(object);
    struct fw_watch_ *w = b->first;

    while (w != NULL && (w->loop != loop || w->object != object))
        w = w->next_in_bucket;
    *has_queue = w != NULL && w->queue.first != NULL;
    unlock_bucket(b);
    return w;
}

/* --- Queues: in the lock of the bucket -------------------------------------------------------- */

static void append(struct fw_watch_ *w, fw_await *op)
{
    op->aux_ = w;
    fw_operation_list_append_(&w->queue, op);
    op->since_ = fw_clock_ns_();
    fw_store32_relaxed(&op->state_, FW_OPERATION_WAITING);
}

static void take_out(struct fw_watch_ *w, fw_await *op)
{
    fw_operation_list_remove_(&w->queue, op);
    op->aux_ = NULL;
}

/* Another operation of its group has ended: it is out of the queue, and gets nothing. */
static bool has_lost(struct fw_watch_ *w, fw_await *op)
{
    if (fw_operation_win_(op))
        return false;
    take_out(w, op);
    fw_store32_release(&op->state_, FW_OPERATION_LOST);
    fw_ipc_keeper_unuse_(w->mapping);
    return true;
}

fw_await *fw_watch_first_(struct fw_watch_ *w)
{
    struct bucket *b = lock_bucket(w->object);
    fw_await *op = w->queue.first;

    unlock_bucket(b);
    return op;
}

bool fw_watch_deliver_(struct fw_watch_ *w, fw_await *op, int result)
{
    struct bucket *b = lock_bucket(w->object);
    struct fw_wakeup_ wakeup = {0};
    bool is_right = w->queue.first == op && !has_lost(w, op);

    if (is_right) {
        bool holds = fw_target_of_(op)->is_held && (result == 0 || result == EOWNERDEAD);
        take_out(w, op);
        wakeup = fw_operation_deliver_(op, result);
        if (!holds)
            fw_ipc_keeper_unuse_(w->mapping);
    }
    unlock_bucket(b);
    fw_wakeup_(wakeup);
    return is_right;
}

/* Of the watches for this lock, the one whose first operation has waited longest; and the first. */
static struct fw_watch_ *longest(const struct bucket *b, const void *lock, struct fw_watch_ **any)
{
    struct fw_watch_ *best = NULL;

    *any = NULL;
    for (struct fw_watch_ *w = b->first; w != NULL; w = w->next_in_bucket) {
        if (w->object != lock)
            continue;
        if (*any == NULL)
            *any = w;
        if (w->queue.first != NULL &&
            (best == NULL || w->queue.first->since_ < best->queue.first->since_))
            best = w;
    }
    return best;
}

static bool may_pass(struct fw_watch_ *w)
{
    uint64_t now = fw_clock_ns_();

    if (w->passes == 0)
        w->passes_since = now;
    if (w->passes < PASSES_MAX && now - w->passes_since < PASSES_NS) {
        w->passes++;
        return true;
    }
    w->passes = 0;
    return false;
}

/* A task of this process releases the lock, and holds it still: fw_ipc_hand_over_hook_. */
static bool hand_over(void *lock, const struct fw_ipc_me_ *keeper)
{
    struct bucket *b = lock_bucket(lock);
    struct fw_wakeup_ wakeup = {0};
    struct fw_watch_ *any, *w;
    bool is_passed = false;

    while (!is_passed && (w = longest(b, lock, &any)) != NULL) {
        fw_await *op = w->queue.first;
        if (op->want_ != FW_TARGET_MUTEX_ || !may_pass(any))
            break;
        if (has_lost(w, op))
            continue;
        take_out(w, op);
        fw_ipc_keeper_note_(lock, op->task_);
        fw_ipc_mutex_pass_(lock, keeper, fw_ipc_task_bits_(op->task_));
        if (w->queue.first == NULL) /* its loop sees to it */
            fw_store32_release(&w->loop->regions_due, 1);
        wakeup = fw_operation_deliver_(op, 0);
        is_passed = true;
    }
    unlock_bucket(b);
    fw_wakeup_(wakeup);
    if (is_passed)
        fw_ipc_keeper_unuse_(keeper->mapping); /* who released it: the other's use goes on */
    return is_passed;
}

/* --- Submission ------------------------------------------------------------------------------- */

/* It has got it at once. */
static int finish_taken(fw_await *op, const struct fw_ipc_me_ *keeper, const void *object,
                        int result)
{
    int error;

    if (fw_target_of_(op)->is_held)
        fw_ipc_keeper_use_(keeper->mapping);
    op->result_ = (uint16_t)result;
    error = fw_operation_taken_(op, FW_OPERATION_REGION, object);
    if (error != 0)
        return error;
    op->result_ = (uint16_t)result;
    return result;
}

/* As submit, once the keeper is there: 0: *look says what to wait for, or there is a queue. */
static int try_at_once(fw_await *op, bool has_queue, const void *object, struct fw_look_ *look)
{
    const struct fw_target_ *target = fw_target_of_(op);
    int error;

    op->object_ = object;
    error = target->check != NULL ? target->check(op, look->keeper) : 0;
    if (error != 0)
        return error;
    return has_queue ? EBUSY
                     : target->attempt(op, look); /* no overtaking: it looks for the first */
}

static int queue(fw_await *op, unsigned target, const void *object, struct fw_watch_ *w,
                 const struct fw_look_ *look, const fw_deadline *deadline)
{
    fw_loop *loop = op->loop_;
    struct bucket *b;
    bool is_first;
    int error;

    op->want_ = (uint8_t)target;
    __atomic_store_n(&fw_ipc_hand_over_hook_, hand_over, __ATOMIC_RELAXED);
    fw_ipc_keeper_use_(w->mapping);
    b = lock_bucket(object);
    is_first = w->queue.first == NULL && look->word != NULL;
    append(w, op);
    unlock_bucket(b);
    error = fw_operation_queued_(loop, op, deadline);
    if (is_first)
        fw_watch_arm_(w, look);
    else
        fw_watch_look_(w, false);
    fw_watch_begin_(loop);
    return error;
}

int fw_region_submit_(fw_await *op, unsigned target, const void *object,
                      const fw_deadline *deadline)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(object);
    struct fw_ipc_me_ keeper;
    struct fw_look_ look = {.keeper = &keeper};
    struct fw_watch_ *w = NULL;
    bool has_queue = false;
    int error;

    if (fw_operation_is_busy_(op))
        return EBUSY;
    if (mapping == NULL || (uintptr_t)object % sizeof(uint64_t) != 0 || op->loop_ == NULL ||
        !fw_loop_is_here_(op->loop_))
        return EINVAL;
    error = fw_ipc_keeper_(mapping, &keeper);
    if (error != 0)
        return error;
    op->want_ = (uint8_t)target;
    if (op->loop_->regions != NULL)
        w = fw_watch_of_(op->loop_, object, &has_queue);
    error = try_at_once(op, has_queue, object, &look);
    if (error == 0 || error == EOWNERDEAD)
        return finish_taken(op, &keeper, object, error);
    if (error == EBUSY)
        error = fw_operation_begin_(op, FW_OPERATION_REGION, object, deadline);
    if (error == 0 && w == NULL)
        error = fw_watch_make_(op->loop_, object, mapping, &w);
    return error != 0 ? error : queue(op, target, object, w, &look, deadline);
}

/* --- For all operations: kind.h --------------------------------------------------------------- */

static bool stop(fw_await *op)
{
    struct bucket *b = lock_bucket(op->object_);
    struct fw_watch_ *w = op->aux_;
    bool is_idle;

    if (fw_load32_relaxed(&op->state_) != FW_OPERATION_WAITING) {
        unlock_bucket(b);
        return false;
    }
    take_out(w, op);
    is_idle = w->queue.first == NULL;
    fw_store32_relaxed(&op->state_, FW_OPERATION_OVER);
    unlock_bucket(b);
    fw_ipc_keeper_unuse_(w->mapping);
    if (is_idle)
        fw_watch_idle_(w);
    return true;
}

static void give_back(fw_await *op)
{
    if (op->result_ == 0 || op->result_ == EOWNERDEAD)
        fw_target_of_(op)->give_back(op);
}

const struct fw_operation_kind_ fw_operation_region_ = {.stop = stop, .give_back = give_back};
