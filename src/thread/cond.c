/* SPDX-License-Identifier: MIT */
/*
 * fw_cond.  Contract: furwock/cond.h.  Reasons, proofs and figures: doc/design/cond.md.
 *
 * Origin: waking one waiter and moving the others to the mutex is Ingo Molnar's (FUTEX_REQUEUE,
 * 2003).  That waiters stand in a line outside of the variable is WebKit's ParkingLot's idea.
 *
 * A waiter is in the bucket of its variable from before it releases the mutex until it
 * is marked or leaves:
 *
 * state    meaning                                who may leave it, and how
 * -------  -------------------------------------  ------------------------------------------------
 * AWAKE    in line, polls or is about to sleep    the waiter: AWAKE -> ASLEEP, before it sleeps
 *                                                 a signaller: AWAKE -> WOKEN
 * ASLEEP   in line, sleeps or is about to         a signaller: ASLEEP -> WOKEN, MOVING, MOVED
 *                                                 a broadcast: ASLEEP -> MOVING (singles), MOVED
 * MOVING   in line, being moved to the mutex      the mover, before it leaves the bucket: -> MOVED
 * WOKEN    woken, out of line                     nobody: locks the mutex as anybody
 * MOVED    woken, out of line, and counted as a   nobody: locks the mutex as what it is counted as
 *          waiter of the mutex
 *
 * A waiter sleeps either in the crowd, on seq_, from where one system call can move all; or singly,
 * on its own state, which is better for signals.  It chooses when it lines up.
 *
 * seq_      0 until somebody waits; then a stamp, which no other variable has, nor has had lately.
 * waiters_  LINE is clear only if nobody is in line.  SIGNALS: the last wake of a sleeper was a
 *           signal's, and those who come sleep singly; a broadcast to several clears it.
 *
 * Legal:   LINE set when nobody is in line (one needless visit to the bucket); SIGNALS either way;
 *          seq_ changed when nobody sleeps; a needless kernel wake.
 * Illegal: to mark a place that is in line: it is removed first; to touch the variable after LINE
 *          was cleared or the last one in line was marked, or the mutex after the first mark of a
 *          move; to sleep with a value of seq_ that was not read inside the bucket while in line;
 *          to leave a thread asleep on seq_ that is out of line, outside of the bucket.
 *
 * CV1  Outside of the bucket, only those sleep on seq_ who are in line, ASLEEP and of the crowd.
 * CV2  Before somebody who is ASLEEP is marked or moved, the word on which it sleeps changes: seq_,
 *      or its state.  So who is not asleep yet does not fall asleep, and looks at its mark.
 * CV3  A wait ends only by a mark, or when its time is over (or the thread is cancelled).  Who is
 *      to be woken is chosen by the signaller, never by the kernel: of the crowd the marked one is
 *      woken together with all who happen to have its bit, and they sleep again.
 * CV4  Whoever is in line has not been woken.  So the variable and the mutex are alive.
 * CV5  MOVED is seen only after the mutex has counted the waiter, and once the mover does not touch
 *      the mutex any more.  Who is woken before that waits for the mover at the bucket.
 * CV6  Who can be moved waits with the same mutex as all others in line who can.  Who has another
 *      mutex, or one to which nobody can be moved, is foreign: single, and never MOVED.
 * CV7  The line is in the order of urgency, as each waiter was before it slept; among equals in
 *      that of arrival.  A broadcast keeps it: the kernel has its sleepers in the same order, and
 *      where it wakes one on the way, that is the first of the line.
 */
#include <errno.h>
#include <stddef.h>

#include <furwock/cond.h>
#include <furwock/futex.h>

#include "core/thread_state.h"
#include "sys/cancel.h"
#include "sys/panic.h"
#include "sys/schedule.h"
#include "sys/thread.h"
#include "thread/cond_queue.h"
#include "thread/mutex_requeue.h"

/* How often one looks who waits until nobody does; a guess, and such programs err. */
#define LOOK_NS 1000000u

void fw_cond_init(fw_cond *c)
{
    fw_store32_relaxed(&c->seq_, 0);
    fw_store32_relaxed(&c->waiters_, 0);
}

/* Is there somebody in line who would be moved to another mutex?  (CV6) */
static bool has_others(const struct fw_waitqueue_ *bucket, const struct waiter *me)
{
    const struct waiter *w = first_of(bucket, me->c);

    while (w != NULL && is_foreign(w))
        w = after(w);
    return w != NULL && w->m != me->m;
}

/* Stands in line.  The mutex is still held, so nobody can have missed a signal. */
static void line_up(struct waiter *me)
{
    fw_cond *c = me->c;
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(c);
    bool others = !is_foreign(me) && has_others(bucket, me);

    if (others && me->posix != NULL)
        me->m = NULL;
    if (!others || is_foreign(me)) {
        if (fw_load32_relaxed(&c->seq_) == 0)
            change_seq(c);
        me->seq = fw_load32_relaxed(&c->seq_);
        me->is_single = is_foreign(me) || mode_of(c) == COND_SIGNALS;    /* F:foreign-in-crowd */
        fw_store32_relaxed(&c->waiters_, mode_of(c) | COND_WAITERS);     /* F:says-nothing */
        fw_waitqueue_insert_(bucket, &me->node, c, fw_urgency_known_()); /* F:cond-unordered */
    }
    fw_waitqueue_unlock_(bucket);
    if (others && !is_foreign(me))
        fw_panic_("condition variable used with two mutexes", c, fw_self_(), 0);
}

/* After a sleep that ended with `error`.  True: the wait is over, and the waiter is out of line. */
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
        me->seq = fw_load32_relaxed(&c->seq_); /* in line: the variable is alive (CV4) */
    } else if (!marked) {
        fw_waitqueue_remove_(bucket, &me->node); /* F:stays-in-line */
        if (first_of(bucket, c) == NULL)
            clear_line(c);
    }
    fw_waitqueue_unlock_(bucket);
    return marked || error == -ETIMEDOUT; /* F:single-again */
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

/* Waits no more: out of line, a wake that it may have had to the next. */
static void leave_line(struct waiter *me)
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

    leave_line(me);
    lock_again(me);
}

/* Polls for as long as the policy has budget.  True: marked meanwhile. */
static bool poll(struct waiter *me)
{
    while (fw_wait_spin_(&me->wait))
        if (is_marked(me))
            return true;
    return is_marked(me);
}

/* The policy never sleeps: the waiter stays AWAKE. */
static int poll_in_line(struct waiter *me)
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

static int sleep_in_line(struct waiter *me)
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

/* Until marked, or woken by the kernel, or over: 0 or ETIMEDOUT. */
static int wait_in_line(struct waiter *me, bool by_default)
{
    bool polls = me->wait.budget_ns != 0;
    bool found = poll(me);
    int error;

    if (by_default && polls)
        fw_spinning_ended_(found);
    if (found)
        return 0;
    if (fw_wait_blocks_(&me->wait))
        error = sleep_in_line(me);
    else if ((error = poll_in_line(me)) != 0)
        is_over(me, error);
    return error == -ETIMEDOUT && !is_marked(me) ? ETIMEDOUT : 0; /* F:swallows */
}

/* Cancelled before it released the mutex. */
static void nothing(void *arg)
{
    (void)arg;
}

/* What comes before the mutex is released.  Sets *by_default: how to poll may be learnt. */
static int begin(struct waiter *me, const fw_wait_policy *policy, const fw_deadline *deadline,
                 bool *by_default)
{
    int error = fw_wait_begin_(&me->wait, policy, deadline);

    if (error != 0)
        return error;
    *by_default = (policy == NULL || policy->kind == FW_WAIT_DEFAULT) && fw_wait_blocks_(&me->wait);
    if (*by_default && !fw_spinning_pays_())
        me->wait.budget_ns = 0;
    fw_cancel_point_(nothing, NULL);
    line_up(me);
    return 0;
}

int fw_cond_wait_policy(fw_cond *c, fw_mutex *m, const fw_wait_policy *policy,
                        const fw_deadline *deadline)
{
    struct waiter me = {.state = AWAKE, .c = c, .m = m, .bits = MUTEX_CLASS_NEW | bit_of(&me)};
    uint32_t owner = owner_half(fw_load64_relaxed(&m->state_));
    bool by_default;
    int error;

    if (owner != fw_self_())
        fw_panic_("condition variable waited on without the mutex", m, fw_self_(),
                  (owner & MUTEX_HANDOFF) != 0 ? 0 : owner);
    error = begin(&me, policy, deadline, &by_default); /* F:unlocks-first */
    if (error != 0)
        return error;
    fw_mutex_unlock(m);
    error = wait_in_line(&me, by_default);
    lock_again(&me);
    return error;
}

int fw_cond_wait_posix_(fw_cond *c, const struct fw_cond_mutex_ *how, const fw_deadline *deadline)
{
    struct waiter me = {.state = AWAKE,
                        .c = c,
                        .m = how->moves,
                        .posix = how,
                        .late = how->late,
                        .bits = MUTEX_CLASS_NEW | bit_of(&me)};
    bool by_default;
    int error = begin(&me, NULL, deadline, &by_default);
    int locked;

    if (error != 0)
        return error;
    error = how->unlock(how->mutex);
    if (error != 0) {
        leave_line(&me); /* F:refused-in-line */
        return error;
    }
    error = wait_in_line(&me, by_default);
    locked = lock_again(&me);
    return locked != 0 ? locked : error;
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
        fw_wait_sleep_(&wait, &never, 0, FW_FUTEX_ANY_BIT, LOOK_NS);
    }
}
