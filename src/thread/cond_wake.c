/* SPDX-License-Identifier: MIT */
/*
 * fw_cond: signal and broadcast.  The waiters, the states and the invariants are in cond.c.
 */
#include <stddef.h>

#include <furwock/cond.h>
#include <furwock/futex.h>

#include "core/thread_state.h"
#include "sys/panic.h"
#include "sys/thread.h"
#include "thread/cond_queue.h"
#include "thread/mutex_requeue.h"

/* AWAKE -> WOKEN; false if it is ASLEEP. */
static bool mark_awake(struct fw_waitqueue_ *bucket, struct waiter *w)
{
    uint32_t state = AWAKE;

    if (fw_load32_relaxed(&w->state) != AWAKE)
        return false;
    fw_waitqueue_remove_(bucket, &w->node);
    if (fw_cas32_release(&w->state, &state, WOKEN))
        return true;
    fw_waitqueue_restore_(bucket, &w->node); /* F:loses-place */
    return false;
}

/*
 * The functions that return a word leave a wake on it to their caller, which makes it outside of
 * the bucket, since the woken thread may need the bucket at once.  The thread may be gone by then.
 */

/*
 * Wakes a single waiter.  If the caller holds the mutex, the waiter does not run before that is
 * free: the first such waiter is woken by the caller's release, the others are requeued to the
 * mutex.
 */
static const uint32_t *wake_single(struct fw_waitqueue_ *bucket, struct waiter *w)
{
    const uint32_t *word = &w->state;
    fw_mutex *m = w->m;

    if (is_unmovable(w)) {
        mark(bucket, w, WOKEN);
        return word;
    }
    if (fw_mutex_register_held_(m, word, w->late)) {
        mark(bucket, w, MOVED);
    } else if (owner_half(fw_load64_relaxed(&m->state_)) == fw_self_()) {
        fw_mutex_register_(m, 1, is_real_time(w));
        fw_store32_relaxed(&w->state, MOVING); /* F:moves-asleep */
        /* F:no-single-move */
        fw_futex_requeue(word, 0, fw_mutex_futex_(m), 1, FW_FUTEX_PRIVATE);
        fw_mutex_look_again_(m); /* with posix rules another thread may have released it */
        mark(bucket, w, MOVED);
    } else {
        mark(bucket, w, WOKEN);
        return word; /* F:no-single-wake */
    }
    return NULL;
}

/*
 * Wakes one of the broadcast waiters, by its futex bit, with all that have the same bit: the others
 * sleep again.  Inside the bucket, so that the variable still exists.
 */
static void wake_by_bit(struct fw_waitqueue_ *bucket, const fw_cond *c, struct waiter *w)
{
    const uint32_t *word = &c->seq_;
    uint32_t bit = bit_of(w);

    mark(bucket, w, WOKEN);                                          /* F:marks-nobody */
    fw_futex_wake_bitset(word, FW_FUTEX_ALL, bit, FW_FUTEX_PRIVATE); /* F:wakes-first-come */
}

/*
 * Wakes a waiter that is ASLEEP; the queue may be empty then.  Once WAITERS is clear, a broadcast
 * returns at once, and its caller may free the variable; so nothing of it is touched from there on,
 * not even by a cancelled waiter, which is in no signal or broadcast of the user's.
 */
static const uint32_t *wake_sleeper(struct fw_waitqueue_ *bucket, fw_cond *c, struct waiter *w)
{
    bool alone = is_alone(bucket, w);

    change_seq(c); /* CV2  F:keeps-seq */
    fw_store32_release(&c->waiters_, COND_SIGNALS | (alone ? 0 : COND_WAITERS));
    if (w->is_single)
        return wake_single(bucket, w);
    wake_by_bit(bucket, c, w);
    return NULL;
}

/* Wakes the first of a queue. */
static const uint32_t *wake_one(struct fw_waitqueue_ *bucket, fw_cond *c, struct waiter *w)
{
    if (is_alone(bucket, w))
        clear_waiters(c);
    return mark_awake(bucket, w) ? NULL : wake_sleeper(bucket, c, w);
}

/* Wakes the AWAKE and the non-requeueable waiters: *woken; returns the number of the others. */
static uint32_t wake_some(struct fw_waitqueue_ *bucket, fw_cond *c, uint32_t *woken)
{
    struct waiter *next;
    uint32_t asleep = 0;

    for (struct waiter *w = first_of(bucket, c); w != NULL; w = next) {
        const uint32_t *word = &w->state;

        next = after(w);
        if (mark_awake(bucket, w)) {
            *woken += 1;
        } else if (is_unmovable(w)) {
            *woken += 1;
            mark(bucket, w, WOKEN);
            fw_futex_wake(word, 1, FW_FUTEX_PRIVATE); /* F:unmovable-no-wake */
        } else {
            asleep++;
        }
    }
    return asleep;
}

/* The single waiters from w on: ASLEEP -> MOVING.  One that is not asleep yet will not be. */
static void begin_to_move(struct waiter *w)
{
    for (; w != NULL; w = after(w))
        if (w->is_single)
            fw_store32_relaxed(&w->state, MOVING);
}

/* Requeues the sleepers from w on to the mutex, where they are registered; or wakes them. */
static void move_sleepers(const fw_cond *c, uint32_t seq, const struct waiter *w, uint32_t wakes)
{
    const uint32_t *line = fw_mutex_futex_(w->m);
    int moved;

    if (wakes == FW_MUTEX_WAKE_ALL)
        moved = fw_futex_wake(&c->seq_, FW_FUTEX_ALL, FW_FUTEX_PRIVATE);
    else
        moved = fw_futex_cmp_requeue(&c->seq_, seq, w->is_single ? 0 : wakes, line, FW_FUTEX_ALL,
                                     FW_FUTEX_PRIVATE); /* CV7 */
    if (moved < 0)
        fw_panic_errno_("futex requeue", -moved);
    for (; w != NULL; w = after(w)) {
        if (w->is_single && wakes == FW_MUTEX_WAKE_ALL)
            fw_futex_wake(&w->state, 1, FW_FUTEX_PRIVATE); /* F:forgets-single */
        else if (w->is_single)
            fw_futex_requeue(&w->state, 0, line, 1, FW_FUTEX_PRIVATE); /* F:moves-wakes-single */
    }
}

/*
 * Has the move woken the most urgent waiter, or found it awake?  Then that one will take the mutex,
 * as WAKING says, whatever a release did in between.  To look again would wake a second waiter,
 * which might take the mutex first.  Waiters of ordinary priority have no order.
 */
static bool is_coming(const struct waiter *first, uint32_t wakes)
{
    return wakes == 1 && !first->is_single && is_real_time(first); /* F:moves-blindly */
}

/* Requeues n sleepers to the mutex; all of them are ASLEEP and queued. */
static void move_all(struct fw_waitqueue_ *bucket, fw_cond *c, uint32_t n)
{
    struct waiter *first = first_of(bucket, c);
    fw_mutex *m = first->m;
    uint32_t wakes = fw_mutex_register_(m, n, is_real_time(first)); /* F:not-registered */
    uint32_t seq = fw_stamp_();
    struct waiter *next;

    fw_store32_relaxed(&c->seq_, seq);
    begin_to_move(first); /* F:moves-all-asleep */
    move_sleepers(c, seq, first, wakes);
    /* F:moves-wakes-second */
    if (!is_coming(first, wakes))
        /* F:marks-first */
        fw_mutex_look_again_(m); /* also wakes one, if that one did not sleep on seq_ */
    for (struct waiter *w = first; w != NULL; w = next) { /* CV5: the last thing */
        /* F:reads-after-mark */
        next = after(w);
        mark(bucket, w, MOVED);
    }
}

/* Leaves the bucket, and makes the wake that was left. */
static void leave(struct fw_waitqueue_ *bucket, const uint32_t *word)
{
    fw_waitqueue_unlock_(bucket);
    if (word != NULL)
        fw_futex_wake(word, 1, FW_FUTEX_PRIVATE);
}

void fw_cond_pass_on_(struct fw_waitqueue_ *bucket, fw_cond *c)
{
    fw_await *op = fw_cond_first_operation_(bucket, c);
    struct waiter *w = first_of(bucket, c);
    struct fw_wakeup_ wakeup = {NULL, NULL};
    const uint32_t *word = NULL;

    if (op != NULL) /* then the variable is alive */
        wakeup = fw_cond_signal_operation_(bucket, c, op);
    else if (w != NULL)
        word = wake_sleeper(bucket, c, w);
    leave(bucket, word);
    fw_wakeup_(wakeup);
}

uint32_t fw_cond_signal(fw_cond *c)
{
    struct fw_wakeup_ wakeup = {NULL, NULL};
    const uint32_t *word = NULL;
    struct fw_waitqueue_ *bucket;
    struct waiter *w;
    fw_await *op;
    bool is_one;

    if ((fw_load32_acquire(&c->waiters_) & COND_WAITERS) == 0)
        return 0;
    bucket = fw_waitqueue_lock_(c);
    op = fw_cond_first_operation_(bucket, c);
    w = first_of(bucket, c);
    is_one = w != NULL || op != NULL;
    if (op != NULL)
        wakeup = fw_cond_signal_operation_(bucket, c, op);
    else if (w != NULL)
        word = wake_one(bucket, c, w);
    else
        clear_waiters(c); /* F:clears-late */
    leave(bucket, word);
    fw_wakeup_(wakeup);
    return is_one;
}

static bool has_operations(const struct fw_waitqueue_ *bucket, const fw_cond *c)
{
    const struct fw_waiter_node_ *p = fw_waitqueue_first_(bucket, c);

    while (p != NULL && !p->is_operation)
        p = fw_waitqueue_next_(p);
    return p != NULL;
}

uint32_t fw_cond_broadcast(fw_cond *c)
{
    const uint32_t *word = NULL;
    struct fw_waitqueue_ *bucket;
    uint32_t asleep, left, woken = 0;
    struct fw_wakeups_ wakeups;

    if ((fw_load32_acquire(&c->waiters_) & COND_WAITERS) == 0)
        return 0;
    bucket = fw_cond_signal_operations_(fw_waitqueue_lock_(c), c, &wakeups, &woken);
    if (bucket == NULL)
        return woken;
    left = has_operations(bucket, c) ? COND_WAITERS : 0; /* they came meanwhile */
    if (left == 0)
        clear_waiters(c);
    asleep = wake_some(bucket, c, &woken);
    if (asleep == 1) {
        word = wake_sleeper(bucket, c, first_of(bucket, c));
    } else if (asleep > 1) {
        fw_store32_relaxed(&c->waiters_, left); /* new waiters sleep on seq_ */
        move_all(bucket, c, asleep);
    }
    leave(bucket, word);
    fw_wakeups_(&wakeups);
    return woken + asleep;
}
