/* SPDX-License-Identifier: MIT */
/*
 * fw_cond.  Contract: furwock/cond.h.  Reasons, proofs and figures: doc/cond.md.
 *
 * Origin: waking one waiter and moving the others to the mutex is Ingo Molnar's (FUTEX_REQUEUE,
 * 2003).  That waiters stand in a line outside of the variable is WebKit's ParkingLot's idea.
 *
 * A waiter stands in the room (room.h) of its variable, from before it releases the mutex until it
 * is marked or leaves:
 *
 * state    meaning                                who may leave it, and how
 * -------  -------------------------------------  ----------------------------------------------
 * AWAKE    in line, polls or is about to sleep    the waiter: AWAKE -> ASLEEP, before it sleeps
 *                                                 a signaller: AWAKE -> WOKEN
 * ASLEEP   in line, sleeps on seq_ or is about to a signaller: ASLEEP -> WOKEN, MOVED, or none: the
 *                                                 kernel has chosen it, and it leaves by itself
 * WOKEN    woken, out of line                     nobody: locks the mutex as anybody
 * MOVED    woken, out of line, and counted as a   nobody: locks the mutex as what it is counted as
 *          waiter of the mutex
 *
 * seq_      0 until somebody waits; then a stamp, which no other variable has, nor has had lately.
 * waiters_  0 only if nobody is in line.
 *
 * Legal:   waiters_ set when nobody is in line (one needless visit to the room); seq_ changed when
 *          nobody sleeps; a needless kernel wake.
 * Illegal: to mark a place that is in line: it is removed first; to touch the variable after the
 *          mark of the last one in line, or the mutex after the first mark of a move; to sleep with
 *          a value of seq_ that was not read inside the room while in line.
 *
 * C1  Outside of the room, only places that are in line and ASLEEP sleep on seq_.  So a kernel wake
 *     that reaches somebody has reached one who waited before the signal.
 * C2  seq_ changes whenever somebody who is ASLEEP is marked or a kernel wake is to reach one, and
 *     before that.  So who is ASLEEP and not asleep yet does not fall asleep, and looks at its
 *     mark.
 * C3  A signal that meets a line marks one, or the kernel wakes one, or (all were on their way to
 *     sleep, or out of it) all are marked.
 * C4  Whoever is in line and unmarked has not been woken, unless its sleep returned 0.
 * C5  MOVED is seen only after the mutex has counted the waiter, and once the mover does not touch
 *     the mutex any more.
 */
#include <errno.h>
#include <stddef.h>

#include <furwock/cond.h>
#include <furwock/futex.h>

#include "mutex_move.h"
#include "mutex_word.h"
#include "room.h"
#include "sys/cancel.h"
#include "sys/panic.h"
#include "sys/thread.h"
#include "wait.h"

enum { AWAKE = 0, ASLEEP = 1, WOKEN = 2, MOVED = 3 };

_Static_assert(sizeof(fw_cond) == 8, "the public promise");

/* A waiting thread; it lives on that thread's stack. */
struct waiter {
    struct fw_wait_ wait; /* first: the clean-up of a cancelled wait is given this */
    struct fw_place_ place;
    uint32_t state;
    uint32_t seq; /* what it expects in seq_ */
    fw_cond *c;
    fw_mutex *m;
};

_Static_assert(offsetof(struct waiter, wait) == 0, "the clean-up finds the waiter");

static struct waiter *waiter_at(struct fw_place_ *p)
{
    return p == NULL ? NULL : (struct waiter *)((char *)p - offsetof(struct waiter, place));
}

static struct waiter *first_of(const struct fw_room_ *room, const fw_cond *c)
{
    return waiter_at(fw_room_first_(room, c));
}

static struct waiter *after(const struct waiter *w)
{
    return waiter_at(fw_room_next_(&w->place));
}

static bool is_marked(const struct waiter *w)
{
    return fw_load32_acquire(&w->state) >= WOKEN;
}

/* AWAKE or ASLEEP -> how.  The waiter may be gone once this is done. */
static void mark(struct fw_room_ *room, struct waiter *w, uint32_t how)
{
    fw_room_remove_(room, &w->place);
    fw_store32_release(&w->state, how);
}

/* AWAKE -> WOKEN; false where it is ASLEEP. */
static bool mark_awake(struct fw_room_ *room, struct waiter *w)
{
    uint32_t state = AWAKE;

    if (fw_load32_relaxed(&w->state) != AWAKE)
        return false;
    fw_room_remove_(room, &w->place);
    if (fw_cas32_release(&w->state, &state, WOKEN))
        return true;
    fw_room_restore_(room, &w->place);
    return false;
}

/* Whoever has not fallen asleep yet will not (C2). */
static void change_seq(fw_cond *c)
{
    fw_store32_relaxed(&c->seq_, fw_stamp_());
}

static int wake_sleepers(const fw_cond *c, unsigned n)
{
    return fw_futex_wake(&c->seq_, n, FW_FUTEX_PRIVATE);
}

static void mark_all(struct fw_room_ *room, struct waiter *w, uint32_t how)
{
    while (w != NULL) {
        struct waiter *next = after(w);

        mark(room, w, how);
        w = next;
    }
}

/*
 * Wakes the only one in line.  Once waiters_ is 0, a broadcast returns at once, and its caller may
 * free the variable; so this is the last touch of one who is in no signal or broadcast of the
 * user's, but was cancelled.
 */
static void wake_last(struct fw_room_ *room, fw_cond *c, struct waiter *w)
{
    change_seq(c);
    fw_store32_release(&c->waiters_, 0);
    mark(room, w, WOKEN);
    wake_sleepers(c, 1);
}

/* Wakes one at least of several, of whom w is the first (C3). */
static void wake_first(struct fw_room_ *room, fw_cond *c, struct waiter *w)
{
    if (mark_awake(room, w))
        return;
    change_seq(c);
    if (wake_sleepers(c, 1) == 0) {
        fw_store32_release(&c->waiters_, 0);
        mark_all(room, w, WOKEN);
    }
}

/* Wakes one at least of a line that begins with w. */
static void wake_one(struct fw_room_ *room, fw_cond *c, struct waiter *w)
{
    if (after(w) != NULL) {
        wake_first(room, c, w);
        return;
    }
    fw_store32_relaxed(&c->waiters_, 0);
    if (!mark_awake(room, w))
        wake_last(room, c, w);
}

/* Wakes those who are awake; returns the number of the others. */
static uint32_t wake_awake(struct fw_room_ *room, fw_cond *c)
{
    struct waiter *next;
    uint32_t asleep = 0;

    for (struct waiter *w = first_of(room, c); w != NULL; w = next) {
        next = after(w);
        if (!mark_awake(room, w))
            asleep++;
    }
    return asleep;
}

/* Moves n sleepers to the mutex; all of them are ASLEEP and in line. */
static void move_all(struct fw_room_ *room, fw_cond *c, uint32_t n)
{
    struct waiter *first = first_of(room, c);
    uint32_t wakes = fw_mutex_register_(first->m, n);
    uint32_t seq = fw_stamp_();
    int moved = 0;

    fw_store32_relaxed(&c->seq_, seq);
    if (wakes == FW_MUTEX_WAKE_ALL)
        wake_sleepers(c, FW_FUTEX_ALL);
    else
        moved = fw_futex_cmp_requeue(&c->seq_, seq, wakes, fw_mutex_line_(first->m), FW_FUTEX_ALL,
                                     FW_FUTEX_PRIVATE);
    if (moved < 0)
        fw_panic_errno_("futex requeue", -moved);
    fw_mutex_look_again_(first->m);
    mark_all(room, first, MOVED); /* C5: the last thing */
}

void fw_cond_init(fw_cond *c)
{
    fw_store32_relaxed(&c->seq_, 0);
    fw_store32_relaxed(&c->waiters_, 0);
}

void fw_cond_signal(fw_cond *c)
{
    struct fw_room_ *room;
    struct waiter *w;

    if (fw_load32_acquire(&c->waiters_) == 0)
        return;
    room = fw_room_enter_(c);
    w = first_of(room, c);
    if (w != NULL)
        wake_one(room, c, w);
    else
        fw_store32_relaxed(&c->waiters_, 0);
    fw_room_leave_(room);
}

void fw_cond_broadcast(fw_cond *c)
{
    struct fw_room_ *room;
    uint32_t asleep;

    if (fw_load32_acquire(&c->waiters_) == 0)
        return;
    room = fw_room_enter_(c);
    fw_store32_relaxed(&c->waiters_, 0);
    asleep = wake_awake(room, c);
    if (asleep == 1)
        wake_one(room, c, first_of(room, c));
    else if (asleep > 1)
        move_all(room, c, asleep);
    fw_room_leave_(room);
}

/* Stands in line.  The mutex is still held, so nobody can have missed a signal. */
static void line_up(struct waiter *me)
{
    fw_cond *c = me->c;
    struct fw_room_ *room = fw_room_enter_(c);
    const struct waiter *other = first_of(room, c);
    const fw_mutex *theirs = other == NULL ? me->m : other->m;

    if (theirs == me->m) {
        if (fw_load32_relaxed(&c->seq_) == 0)
            change_seq(c);
        me->seq = fw_load32_relaxed(&c->seq_);
        fw_store32_relaxed(&c->waiters_, 1);
        fw_room_append_(room, &me->place, c);
    }
    fw_room_leave_(room);
    if (theirs != me->m)
        fw_panic_("condition variable used with two mutexes", c, fw_self_(), 0);
}

/*
 * After a sleep that ended with `error`.  True: the wait is over, and the waiter is out of line.
 * A sleep that returned 0 was ended by the kernel's choice, or by chance: over in any case.
 */
static bool is_over(struct waiter *me, int error)
{
    fw_cond *c = me->c;
    struct fw_room_ *room;
    bool marked;

    if (is_marked(me))
        return true;
    room = fw_room_enter_(c);
    marked = is_marked(me);
    if (!marked && (error == -EAGAIN || error == -EINTR)) {
        me->seq = fw_load32_relaxed(&c->seq_); /* unmarked: the variable is alive (C4) */
    } else if (!marked) {
        fw_room_remove_(room, &me->place);
        if (error == -ETIMEDOUT && first_of(room, c) == NULL)
            fw_store32_release(&c->waiters_, 0);
    }
    fw_room_leave_(room);
    return marked || (error != -EAGAIN && error != -EINTR);
}

static void lock_again(struct waiter *me)
{
    if (fw_load32_relaxed(&me->state) == MOVED)
        fw_mutex_lock_registered_(me->m);
    else
        fw_mutex_lock(me->m);
}

/* The waiting thread was cancelled: out of line, a wake that it may have had to the next. */
static void cancelled(void *arg)
{
    struct waiter *me = (struct waiter *)arg;
    fw_cond *c = me->c;
    struct fw_room_ *room = fw_room_enter_(c);
    struct waiter *next;

    if (!is_marked(me))
        fw_room_remove_(room, &me->place);
    next = first_of(room, c); /* if there is one, the variable is alive */
    if (next != NULL && fw_load32_relaxed(&me->state) != MOVED)
        (after(next) == NULL ? wake_last : wake_first)(room, c, next);
    fw_room_leave_(room);
    lock_again(me);
}

/* Polls for as long as the policy has budget.  True: marked meanwhile. */
static bool poll(struct waiter *me)
{
    while (fw_wait_poll_(&me->wait))
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

static int sleep_in_line(struct waiter *me)
{
    uint32_t state = AWAKE;
    int error;

    /* AWAKE -> ASLEEP; a mark that came first is read with acquire order, as all marks are */
    if (!fw_cas32_relaxed(&me->state, &state, ASLEEP))
        return is_marked(me) ? 0 : -EAGAIN;
    do
        error = fw_wait_sleep_cancellable_(&me->wait, &me->c->seq_, me->seq, MUTEX_CLASS_NEW,
                                           cancelled);
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
        fw_polling_ended_(found);
    if (found)
        return 0;
    if (fw_wait_blocks_(&me->wait))
        error = sleep_in_line(me);
    else if ((error = poll_in_line(me)) != 0)
        is_over(me, error);
    return error == -ETIMEDOUT && !is_marked(me) ? ETIMEDOUT : 0;
}

/* Cancelled before it released the mutex. */
static void nothing(void *arg)
{
    (void)arg;
}

int fw_cond_wait_policy(fw_cond *c, fw_mutex *m, const fw_wait_policy *policy,
                        const fw_deadline *deadline)
{
    struct waiter me = {.state = AWAKE, .c = c, .m = m};
    bool by_default = policy == NULL || policy->kind == FW_WAIT_DEFAULT;
    uint32_t owner = owner_half(fw_load64_relaxed(&m->state_));
    int error;

    if (owner != fw_self_())
        fw_panic_("condition variable waited on without the mutex", m, fw_self_(),
                  (owner & MUTEX_PASSED) != 0 ? 0 : owner);
    error = fw_wait_begin_(&me.wait, policy, deadline);
    if (error != 0)
        return error;
    by_default = by_default && fw_wait_blocks_(&me.wait);
    if (by_default && !fw_polling_pays_())
        me.wait.budget_ns = 0;
    fw_cancel_point_(nothing, NULL);
    line_up(&me);
    fw_mutex_unlock(m);
    error = wait_in_line(&me, by_default);
    lock_again(&me);
    return error;
}

int fw_cond_timedwait(fw_cond *c, fw_mutex *m, const fw_deadline *deadline)
{
    return fw_cond_wait_policy(c, m, NULL, deadline);
}

void fw_cond_wait(fw_cond *c, fw_mutex *m)
{
    fw_cond_wait_policy(c, m, NULL, NULL); /* cannot fail: no deadline, a valid policy */
}
