/* SPDX-License-Identifier: MIT */
/*
 * The queues of operations that wait for objects of regions: how they get in, and how a release by
 * a task of this process finds them.  Contract, and AWI1 to AWI6: region.h.
 *
 * Origin: that those who wait for one lock stand in one queue, of which only the first needs the
 * kernel, is the CLH and MCS locks' (Magnusson et al. 1994; Mellor-Crummey and Scott 1991); that a
 * lock is passed on within a node a bounded number of times is the cohort locks' (Dice, Marathe and
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

/*
 * A lock is passed from task to task at most this often, and for no longer than a waiter may
 * starve.
 */
enum { PASSES_MAX = 16 };
#define PASSES_NS FW_STARVATION_NS

/* 64 buckets: a release looks at some watches of other objects if there are thousands. */
enum { BUCKETS = 64, BUCKET_SHIFT = 58 };
#define HASH UINT64_C(0x9e3779b97f4a7c15) /* 2^64 by the golden ratio (Knuth, volume 3, 6.4) */

static struct fw_region_bucket_ buckets[BUCKETS] FW_OF_PROCESS_;

const struct fw_target_ *const fw_targets_[FW_TARGETS_] = {
    [FW_TARGET_MUTEX_] = &fw_target_mutex_, [FW_TARGET_SEM_] = &fw_target_sem_,
    [FW_TARGET_WORD_] = &fw_target_word_,   [FW_TARGET_PERMITS_] = &fw_target_permits_,
    [FW_TARGET_COND_] = &fw_target_cond_,   [FW_TARGET_RELOCK_] = &fw_target_relock_,
    [FW_TARGET_READ_] = &fw_target_read_,   [FW_TARGET_WRITE_] = &fw_target_write_,
};

/* The parent's watches stay where they are, and nobody finds them. */
static void begin_anew(void)
{
    for (unsigned i = 0; i < BUCKETS; i++)
        buckets[i] = (struct fw_region_bucket_){0};
}

FW_CONSTRUCTOR static void watch_forks(void)
{
    fw_at_fork_(begin_anew);
}

struct fw_region_bucket_ *fw_region_bucket_of_(const void *object)
{
    return &buckets[(uintptr_t)object * HASH >> BUCKET_SHIFT];
}

struct fw_region_bucket_ *fw_region_bucket_lock_(const void *object)
{
    struct fw_region_bucket_ *b = fw_region_bucket_of_(object);

    fw_bucket_lock_(&b->lock);
    return b;
}

void fw_watch_enter_(struct fw_watch_ *w)
{
    struct fw_region_bucket_ *b = fw_region_bucket_lock_(w->object);

    w->next_in_bucket = b->first;
    b->first = w;
    fw_region_bucket_unlock_(b);
}

void fw_watch_forget_(struct fw_watch_ *w)
{
    struct fw_region_bucket_ *b = fw_region_bucket_lock_(w->object);
    struct fw_watch_ **at = &b->first;

    while (*at != w)
        at = &(*at)->next_in_bucket;
    *at = w->next_in_bucket;
    fw_region_bucket_unlock_(b);
}

struct fw_watch_ *fw_watch_of_(const fw_loop *loop, const void *object, uint8_t number,
                               bool *has_queue)
{
    struct fw_region_bucket_ *b = fw_region_bucket_lock_(object);
    struct fw_watch_ *w = b->first;

    while (w != NULL && (w->loop != loop || w->object != object || w->number != number))
        w = w->next_in_bucket;
    *has_queue = w != NULL && w->queue.first != NULL;
    fw_region_bucket_unlock_(b);
    return w;
}

/* --- Queues: in the lock of the bucket -------------------------------------------------------- */

void fw_watch_append_(struct fw_watch_ *w, fw_await *op)
{
    op->aux_ = w;
    fw_operation_list_append_(&w->queue, op);
    op->since_ = fw_clock_ns_();
    fw_store32_relaxed(&op->state_, FW_OPERATION_WAITING);
}

void fw_watch_take_out_(struct fw_watch_ *w, fw_await *op)
{
    const struct fw_target_ *target = fw_target_of_(op);

    fw_operation_list_remove_(&w->queue, op);
    op->aux_ = NULL;
    if (target->dequeued != NULL)
        target->dequeued(op);
}

/* Another operation of its group has ended: it is out of the queue, and gets nothing. */
bool fw_watch_has_lost_(struct fw_watch_ *w, fw_await *op)
{
    if (fw_operation_win_(op))
        return false;
    fw_watch_take_out_(w, op);
    fw_store32_release(&op->state_, FW_OPERATION_LOST);
    fw_ipc_agent_unuse_(w->mapping);
    return true;
}

fw_await *fw_watch_first_(struct fw_watch_ *w)
{
    struct fw_region_bucket_ *b = fw_region_bucket_lock_(w->object);
    fw_await *op = w->queue.first;

    fw_region_bucket_unlock_(b);
    return op;
}

bool fw_watch_deliver_(struct fw_watch_ *w, fw_await *op, int result)
{
    struct fw_region_bucket_ *b = fw_region_bucket_lock_(w->object);
    struct fw_wakeup_ wakeup = {0};
    bool is_right = w->queue.first == op && !fw_watch_has_lost_(w, op);

    if (is_right) {
        const struct fw_target_ *target = fw_target_of_(op);
        bool holds = target->is_held && fw_target_has_it_(target, result);
        fw_watch_take_out_(w, op);
        wakeup = fw_operation_deliver_(op, result);
        if (!holds)
            fw_ipc_agent_unuse_(w->mapping);
    }
    fw_region_bucket_unlock_(b);
    fw_wakeup_(wakeup);
    return is_right;
}

void fw_watch_emptied_(struct fw_watch_ *w)
{
    if (w->queue.first != NULL)
        return;
    fw_store32_release(&w->loop->regions_due, 1);
    if (fw_load64_relaxed(&w->recheck_ns) > FW_RECHECK_IPC_NS)
        fw_loop_kick_(w->loop);
}

/* Of the watches for this lock, the one whose first operation has waited longest; and the first. */
static struct fw_watch_ *longest(const struct fw_region_bucket_ *b, const void *lock,
                                 struct fw_watch_ **any)
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
static bool hand_over(void *lock, const struct fw_ipc_me_ *agent)
{
    struct fw_region_bucket_ *b = fw_region_bucket_lock_(lock);
    struct fw_wakeup_ wakeup = {0};
    struct fw_watch_ *any, *w;
    bool is_passed = false;

    while (!is_passed && (w = longest(b, lock, &any)) != NULL) {
        fw_await *op = w->queue.first;
        if (!fw_target_of_(op)->is_mutex || !may_pass(any))
            break;
        if (fw_watch_has_lost_(w, op)) {
            fw_watch_emptied_(w);
            continue;
        }
        fw_watch_take_out_(w, op);
        fw_ipc_agent_note_(lock, op->task_);
        fw_ipc_mutex_pass_(lock, agent, fw_ipc_task_bits_(op->task_));
        fw_watch_emptied_(w);
        wakeup = fw_operation_deliver_(op, 0);
        is_passed = true;
    }
    fw_region_bucket_unlock_(b);
    fw_wakeup_(wakeup); /* F:ipc-await-hands-over-quietly */
    if (is_passed)
        fw_ipc_agent_unuse_(agent->mapping); /* who released it: the other's use goes on */
    return is_passed;
}

/* --- Submission ------------------------------------------------------------------------------- */

/* It has got it at once. */
static int finish_taken(fw_await *op, const struct fw_ipc_me_ *agent, const void *object,
                        int result)
{
    int error;

    if (fw_target_of_(op)->is_held)
        fw_ipc_agent_use_(agent->mapping);
    op->result_ = (uint16_t)result;
    error = fw_operation_taken_(op, FW_OPERATION_REGION, object);
    if (error != 0)
        return error;
    op->result_ = (uint16_t)result;
    return result;
}

/* As submit, once the agent is there: 0: *look says what to wait for, or there is a queue. */
static int try_at_once(fw_await *op, bool has_queue, const void *object, struct fw_look_ *look)
{
    const struct fw_target_ *target = fw_target_of_(op);
    int error;

    op->object_ = object;
    error = target->check != NULL ? target->check(op, look->agent) : 0;
    if (error != 0)
        return error;
    return has_queue ? EBUSY
                     : target->attempt(op, look); /* no overtaking: it looks for the first */
}

static int queue(fw_await *op, unsigned target, const void *object, struct fw_watch_ *w,
                 const struct fw_look_ *look, const fw_deadline *deadline)
{
    fw_loop *loop = op->loop_;
    struct fw_region_bucket_ *b;
    bool is_first;
    int error;

    op->want_ = (uint8_t)target;
    __atomic_store_n(&fw_ipc_hand_over_hook_, hand_over, __ATOMIC_RELAXED);
    fw_ipc_agent_use_(w->mapping);
    b = fw_region_bucket_lock_(object);
    is_first = w->queue.first == NULL && look->word != NULL;
    fw_watch_append_(w, op);
    fw_region_bucket_unlock_(b);
    error = fw_operation_queued_(loop, op, deadline);
    if (is_first) /* F:ipc-await-never-arms */
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
    struct fw_ipc_me_ agent;
    struct fw_look_ look = {.agent = &agent};
    struct fw_watch_ *w = NULL;
    bool has_queue = false;
    int error;

    if (fw_operation_is_busy_(op))
        return EBUSY;
    if (mapping == NULL || (uintptr_t)object % sizeof(uint64_t) != 0 || op->loop_ == NULL ||
        !fw_loop_is_here_(op->loop_))
        return EINVAL;
    error = fw_ipc_agent_(mapping, &agent);
    if (error != 0)
        return error;
    op->want_ = (uint8_t)target;
    if (op->loop_->regions != NULL)
        w = fw_watch_of_(op->loop_, object, fw_targets_[target]->queue, &has_queue);
    error = try_at_once(op, has_queue, object, &look);
    if (fw_target_has_it_(fw_target_of_(op), error))
        return finish_taken(op, &agent, object, error);
    if (error == EBUSY)
        error = fw_operation_begin_(op, FW_OPERATION_REGION, object, deadline);
    if (error == 0 && w == NULL)
        error = fw_watch_make_(op->loop_, object, fw_targets_[target]->queue, mapping, &w);
    return error != 0 ? error : queue(op, target, object, w, &look, deadline);
}

/* --- For all operations: kind.h --------------------------------------------------------------- */

static bool stop(fw_await *op)
{
    struct fw_region_bucket_ *b = fw_region_bucket_lock_(op->object_);
    uint32_t state = fw_load32_relaxed(&op->state_);
    const struct fw_ipc_mapping_ *mapping;
    struct fw_watch_ *w = op->aux_;
    bool is_idle;

    if (state != FW_OPERATION_WAITING) {
        fw_region_bucket_unlock_(b);
        return state == FW_OPERATION_LOST;
    }
    fw_watch_take_out_(w, op);
    is_idle = w->queue.first == NULL;
    fw_store32_relaxed(&op->state_, FW_OPERATION_OVER);
    fw_region_bucket_unlock_(b);
    mapping = w->mapping;
    if (is_idle)
        fw_watch_idle_(w);
    if (fw_target_of_(op)->left != NULL)
        fw_target_of_(op)->left(w, op); /* after which the watch may be gone */
    fw_ipc_agent_unuse_(mapping);
    return true;
}

static void give_back(fw_await *op)
{
    if (fw_target_has_it_(fw_target_of_(op), op->result_))
        fw_target_of_(op)->give_back(op);
}

static bool exchange(fw_await *op, void (*wake)(void *), void *arg, void **old)
{
    struct fw_region_bucket_ *b = fw_region_bucket_lock_(op->object_);
    bool waits = fw_operation_exchange_(op, wake, arg, old);

    fw_region_bucket_unlock_(b);
    return waits;
}

int fw_region_result_(const fw_await *op)
{
    return op->want_ == FW_TARGET_RELOCK_ && op->result_ == 0 ? fw_relock_result_(op) : op->result_;
}

static int expired(fw_await *op)
{
    return fw_target_of_(op)->expired != NULL ? fw_target_of_(op)->expired(op) : ETIMEDOUT;
}

const struct fw_operation_kind_ fw_operation_region_ = {.stop = stop,
                                                        .give_back = give_back,
                                                        .result = fw_region_result_,
                                                        .exchange = exchange,
                                                        .expired = expired};
