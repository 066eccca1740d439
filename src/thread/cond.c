/* SPDX-License-Identifier: MIT */
/*
 * fw_cond.  Contract: furwock/cond.h.  Reasons, proofs and figures: doc/design/cond.md.
 *
 * Origin: waking one waiter and moving the others to the mutex is Ingo Molnar's (FUTEX_REQUEUE,
 * 2003).  That waiters queue outside of the variable is the idea of WebKit's ParkingLot.
 *
 * A waiter is in the bucket of its variable from before it releases the mutex until it is marked or
 * leaves:
 *
 * state    meaning                                left by
 * -------  -------------------------------------  ------------------------------------------------
 * AWAKE    queued, spins or is about to sleep     the waiter: AWAKE -> ASLEEP, before it sleeps
 *                                                 a signaller: AWAKE -> WOKEN
 * ASLEEP   queued, sleeps or is about to          a signaller: ASLEEP -> WOKEN, MOVING, MOVED
 *                                                 a broadcast: ASLEEP -> MOVING (singles), MOVED
 * MOVING   queued, being requeued to the mutex    the mover, before it leaves the bucket: -> MOVED
 * WOKEN    woken, dequeued                        nobody: locks the mutex like any thread
 * MOVED    woken, dequeued, and counted as a      nobody: locks the mutex as a waiter that is
 *          waiter of the mutex                    counted already
 *
 * A waiter sleeps either on seq_, as a broadcast waiter, from where one system call can requeue
 * all; or on a futex of its own, its state, as a single waiter, which is better for signals.  It
 * chooses when it is queued.
 *
 * seq_      0 until somebody waits; then a stamp that no other variable has, nor had recently.
 * waiters_  WAITERS is clear only if the queue is empty.  SIGNALS: the last wake of a sleeper was a
 *           signal's, and new waiters are single; a broadcast to several clears it.
 *
 * Legal:   WAITERS set when the queue is empty (one needless visit to the bucket); SIGNALS either
 *          way; seq_ changed when nobody sleeps; a needless kernel wake.
 * Illegal: to mark a waiter that is queued: it is removed first; to touch the variable after
 *          WAITERS was cleared or the last queued waiter was marked, or the mutex after the first
 *          mark of a move; to sleep with a value of seq_ that was not read inside the bucket while
 *          queued; to leave a thread asleep on seq_ that is not queued, outside of the bucket.
 *
 * CV1  Outside of the bucket, the threads asleep on seq_ are queued, ASLEEP and broadcast waiters.
 * CV2  Before a waiter that is ASLEEP is marked or moved, the word on which it sleeps changes:
 *      seq_, or its state.  So one that is not asleep yet does not fall asleep, and sees its mark.
 * CV3  A wait ends only by a mark, by a time-out or by cancellation.  The signaller chooses which
 *      waiter to wake, never the kernel: a marked broadcast waiter is woken together with all that
 *      share its futex bit, and those sleep again.
 * CV4  A queued waiter has not been woken.  So the variable and the mutex are alive.
 * CV5  MOVED is seen only after the mutex has counted the waiter, and after the mover's last access
 *      to the mutex.  A waiter that is woken before that waits for the mover at the bucket.
 * CV6  All queued waiters that can be moved wait with the same mutex.  One with another mutex, or
 *      with a mutex that nobody can be requeued to, is non-requeueable: single, and never MOVED.
 * CV7  The queue is in order of urgency, as each waiter was before it slept; first come, first
 *      served among equals.  A broadcast keeps the order: the kernel has its sleepers in the same,
 *      and if it wakes one meanwhile, that is the first of the queue.
 * CV8  Operations (core/operation.h) are queued among the threads, and signalled in the order of
 *      the queue; they are never moved, but go to the mutex by themselves.
 */
#include <errno.h>
#include <stddef.h>

#include <furwock/cond.h>
#include <furwock/futex.h>

#include "core/recheck.h"
#include "core/thread_state.h"
#include "sys/cancel.h"
#include "sys/panic.h"
#include "sys/schedule.h"
#include "sys/thread.h"
#include "thread/cond_queue.h"
#include "thread/mutex_requeue.h"

void fw_cond_init(fw_cond *c)
{
    fw_store32_relaxed(&c->seq_, 0);
    fw_store32_relaxed(&c->waiters_, 0);
}

/* Is a waiter queued that would be moved to another mutex?  (CV6) */
static bool has_others(const struct fw_waitqueue_ *bucket, const struct waiter *me)
{
    const struct waiter *w = first_of(bucket, me->c);

    while (w != NULL && is_unmovable(w))
        w = after(w);
    return w != NULL && w->m != me->m;
}

/* Enqueues the caller.  The mutex is still held, so it cannot have missed a signal. */
static void enqueue(struct waiter *me)
{
    fw_cond *c = me->c;
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(c);
    bool others = !is_unmovable(me) && has_others(bucket, me);

    if (others && me->posix != NULL)
        me->m = NULL;
    if (!others || is_unmovable(me)) {
        if (fw_load32_relaxed(&c->seq_) == 0)
            change_seq(c);
        me->seq = fw_load32_relaxed(&c->seq_);
        me->is_single =
            is_unmovable(me) || mode_of(c) == COND_SIGNALS;          /* F:unmovable-in-broadcast */
        fw_store32_relaxed(&c->waiters_, mode_of(c) | COND_WAITERS); /* F:says-nothing */
        fw_waitqueue_insert_(bucket, &me->node, c, fw_urgency_known_()); /* F:cond-unordered */
    }
    fw_waitqueue_unlock_(bucket);
    if (others && !is_unmovable(me))
        fw_panic_("condition variable used with two mutexes", c, fw_self_(), 0);
}

/* After a sleep that ended with `error`.  True: the wait has ended, and the waiter is dequeued. */
static bool is_over(struct waiter *me, int error)
{
    fw_cond *c = me->c;
    struct fw_waitqueue_ *bucket;
    bool marked;

    if (is_marked(me))
        return true;
    bucket = fw_waitqueue_lock_(c); /* a mover may be about to mark it (CV5) */
    marked = is_marked(me);
    if (!marked && error != -ETIMEDOUT) {
        me->seq = fw_load32_relaxed(&c->seq_); /* queued: the variable is alive (CV4) */
    } else if (!marked) {
        fw_waitqueue_remove_(bucket, &me->node); /* F:stays-in-line */
        if (is_queue_empty(bucket, c))
            clear_waiters(c);
    }
    fw_waitqueue_unlock_(bucket);
    return marked || error == -ETIMEDOUT; /* F:single-again */
}

/* Releases the mutex: 0, or why not. */
static int unlock(struct waiter *me)
{
    if (me->posix != NULL)
        return me->posix->unlock(me->posix->mutex);
    fw_mutex_unlock(me->m);
    return 0;
}

static int lock_again(struct waiter *me)
{
    bool is_counted = fw_load32_relaxed(&me->state) == MOVED; /* F:locks-as-anybody */

    if (me->posix != NULL)
        return me->posix->lock(me->posix->mutex, is_counted);
    if (is_counted)
        fw_mutex_lock_registered_(me->m);
    else
        fw_mutex_lock(me->m);
    return 0;
}

/* Ends the wait: dequeues, and passes on a wake that it may have had. */
static void leave_queue(struct waiter *me)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(me->c);

    if (!is_marked(me)) /* F:cancelled-in-line */
        fw_waitqueue_remove_(bucket, &me->node);
    fw_cond_pass_on_(bucket, me->c); /* F:drops-wake */
}

/* The waiting thread was cancelled. */
static void cancelled(void *arg)
{
    struct waiter *me = (struct waiter *)arg;

    leave_queue(me);
    lock_again(me);
}

/* Spins for as long as the policy has budget.  True: marked meanwhile. */
static bool spin(struct waiter *me)
{
    while (fw_wait_spin_(&me->wait))
        if (is_marked(me))
            return true;
    return is_marked(me);
}

/* The policy never sleeps: the waiter stays AWAKE. */
static int spin_in_queue(struct waiter *me)
{
    int error = 0;

    while (!is_marked(me) && error == 0)
        error = fw_wait_sleep_cancellable_(&me->wait, &me->c->seq_, 0, 0, cancelled);
    return error;
}

/* A last look, before it sleeps, at how urgent the waiter is. */
static void find_turn(struct waiter *me)
{
    int urgency = fw_urgency_();
    struct fw_waitqueue_ *bucket;

    if (urgency == me->node.urgency) /* F:cond-line-stale */
        return;
    bucket = fw_waitqueue_lock_(me->c);
    if (!is_marked(me))
        fw_waitqueue_reorder_(bucket, &me->node, urgency);
    fw_waitqueue_unlock_(bucket);
}

static int sleep_in_queue(struct waiter *me)
{
    const uint32_t *word = me->is_single ? &me->state : &me->c->seq_;
    uint32_t state = AWAKE;
    int error;

    find_turn(me);
    /* AWAKE -> ASLEEP; a mark that came first is read with acquire order, as all marks are */
    if (!fw_cas32_relaxed(&me->state, &state, ASLEEP)) /* F:overwrites-mark */
        return is_marked(me) ? 0 : -EAGAIN;
    do
        error = fw_wait_sleep_cancellable_(&me->wait, word, me->is_single ? ASLEEP : me->seq,
                                           me->bits, cancelled); /* F:sleeps-late */
    while (!is_over(me, error));
    return error;
}

/* Until marked, woken by the kernel or timed out: 0 or ETIMEDOUT. */
static int wait_in_queue(struct waiter *me, bool by_default)
{
    bool spins = me->wait.budget_ns != 0;
    bool found = spin(me);
    int error;

    if (by_default && spins)
        fw_spinning_ended_(FW_SPIN_WAKE_, found);
    if (found)
        return 0;
    if (fw_wait_blocks_(&me->wait))
        error = sleep_in_queue(me);
    else if ((error = spin_in_queue(me)) != 0)
        is_over(me, error);
    return error == -ETIMEDOUT && !is_marked(me) ? ETIMEDOUT : 0; /* F:swallows */
}

/* Cancelled before it released the mutex. */
static void nothing(void *arg)
{
    (void)arg;
}

/* Queues the waiter, releases its mutex, waits, and locks it again. */
static int wait_as(struct waiter *me, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    int error = fw_wait_begin_(&me->wait, policy, deadline);
    bool by_default; /* spinning may adapt */
    int locked;

    if (error != 0)
        return error;
    by_default = (policy == NULL || policy->kind == FW_WAIT_DEFAULT) && fw_wait_blocks_(&me->wait);
    if (by_default && !fw_spinning_pays_(FW_SPIN_WAKE_))
        me->wait.budget_ns = 0;
    fw_cancel_point_(nothing, NULL); /* F:unlocks-first */
    enqueue(me);
    error = unlock(me);
    if (error != 0) {
        leave_queue(me); /* F:refused-in-line */
        return error;
    }
    error = wait_in_queue(me, by_default);
    locked = lock_again(me);
    return locked != 0 ? locked : error;
}

int fw_cond_wait_policy(fw_cond *c, fw_mutex *m, const fw_wait_policy *policy,
                        const fw_deadline *deadline)
{
    struct waiter me = {.state = AWAKE, .c = c, .m = m, .bits = MUTEX_CLASS_NEW | bit_of(&me)};
    uint32_t owner = owner_half(fw_load64_relaxed(&m->state_));

    if (owner != fw_self_())
        fw_panic_("condition variable waited on without the mutex", m, fw_self_(),
                  (owner & MUTEX_HANDOFF) != 0 ? 0 : owner);
    return wait_as(&me, policy, deadline);
}

int fw_cond_wait_posix_(fw_cond *c, const struct fw_cond_mutex_ *how, const fw_deadline *deadline)
{
    struct waiter me = {.state = AWAKE,
                        .c = c,
                        .m = how->moves,
                        .posix = how,
                        .late = how->late,
                        .bits = MUTEX_CLASS_NEW | bit_of(&me)};

    return wait_as(&me, NULL, deadline);
}

int fw_cond_timedwait(fw_cond *c, fw_mutex *m, const fw_deadline *deadline)
{
    return fw_cond_wait_policy(c, m, NULL, deadline);
}

void fw_cond_wait(fw_cond *c, fw_mutex *m)
{
    fw_cond_wait_policy(c, m, NULL, NULL); /* cannot fail: no deadline, a valid policy */
}

void fw_cond_await_nobody_(const void *object)
{
    static const fw_wait_policy blocks = {.kind = FW_WAIT_BLOCK};
    const uint32_t never = 0;
    struct fw_waitqueue_ *bucket;
    struct fw_wait_ wait;
    bool is_empty;

    fw_wait_begin_(&wait, &blocks, NULL); /* cannot fail, as above */
    for (;;) {
        bucket = fw_waitqueue_lock_(object);
        is_empty = fw_waitqueue_first_(bucket, object) == NULL;
        fw_waitqueue_unlock_(bucket);
        if (is_empty)
            return;
        fw_wait_sleep_(&wait, &never, 0, FW_FUTEX_ANY_BIT, FW_RECHECK_LEAVING_NS);
    }
}
