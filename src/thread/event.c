/* SPDX-License-Identifier: MIT */
/*
 * fw_event.  Contract: furwock/event.h.  Reasons: doc/design/event.md.
 *
 * Origin: after the word that is compared and slept on of Franke, Russell and Kirkwood (OLS 2002,
 * section 3.1.3).
 *
 * An automatic event is a supply of at most one permit: permits.c.  A manual one:
 *
 *   bit   63          62 ... 32   31 ... 1   0
 *         OPERATIONS  waiters     round      SET
 *                                 `futex half -'
 *
 * futex half    waiters  meaning              left by
 * ------------  -------  -------------------  -----------------------------------------------------
 * round r, SET  0        everybody passes     reset: r
 * round r       0        not set, no waiters  set: r + 1, SET; waiter: joins
 * round r       m        not set, m wait      set: r + 1, SET, 0, and wakes all; waiter: leaves
 * r, OPERATIONS any      the same, and          set, as before, inside the bucket
 *                        operations are queued
 *
 * Legal:   to count waiters that do not exist (after a fork: one needless wake); OPERATIONS when
 *          none is queued (a needless visit to the bucket).
 * Illegal: to sleep without being counted; to leave after one's round is over.
 *
 * EV1  A waiter sleeps on the futex half with the round in which it joined, and passes when it says
 *      SET or another round.  So a thread that waits when the event is set passes, even if it is
 *      reset before that thread runs.
 * EV2  The step that sets the event clears the count of waiters: they leave nothing behind, and
 *      need not touch the event again.
 * EV3  After that step the setter does not touch the event (the wake uses the address only), except
 *      for operations that it finds queued.
 * EV4  An operation is queued, and OPERATIONS set, inside the bucket, and the round is in it.  It
 *      passes as a thread does (EV1): whoever finds it in the bucket grants it then.
 *
 * The round has 31 bits: a waiter that is held up between two looks at the word while the event is
 * set and reset exactly 2^31 times, or a multiple, misses these.
 */
#include <errno.h>
#include <stddef.h>

#include <furwock/bits/atomic.h>
#include <furwock/event.h>
#include <furwock/futex.h>

#include "core/adaptive_spin.h"
#include "core/linkable.h"
#include "core/wait.h"
#include "sys/panic.h"
#include "sys/thread.h"
#include "thread/any_source.h"
#include "thread/event_queue.h"
#include "thread/permits.h"

#define EVENT_SET UINT64_C(1)
#define EVENT_ROUND 2u
#define EVENT_WAITER (UINT64_C(1) << 32)
#define EVENT_OPERATIONS (UINT64_C(1) << 63)

/* As many as an automatic event can count. */
#define EVENT_WAITERS_MAX UINT64_C(0xfffff)

_Static_assert(sizeof(fw_event) == 24, "the public promise");
_Static_assert(offsetof(fw_event, state_) == 0 && offsetof(fw_event, guess_) == PERMITS_GUESS_AT &&
                   offsetof(fw_event, spin_) == PERMITS_SPIN_AT,
               "permits.h wants them there");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the futex half comes first");

static bool is_auto(const fw_event *e)
{
    return e->kind_ == FW_EVENT_AUTO;
}

static bool is_set(uint64_t w)
{
    return (w & EVENT_SET) != 0;
}

static uint32_t futex_half(uint64_t w)
{
    return (uint32_t)w;
}

static uint64_t waiters(uint64_t w)
{
    return (w & ~EVENT_OPERATIONS) / EVENT_WAITER;
}

static const uint32_t *futex_word(const fw_event *e)
{
    return (const fw_half_ *)&e->state_;
}

/* EV1: may a thread pass that has waited since the futex half was `since`? */
static bool may_pass(uint64_t w, uint32_t since)
{
    return is_set(w) || futex_half(w) != since;
}

/*
 * EV4.  Inside the bucket; false: there may be more.  Only an operation that is queued keeps the
 * event alive (EV3).
 */
static bool grant_some(struct fw_waitqueue_ *bucket, const fw_event *e, struct fw_wakeups_ *wakeups)
{
    struct fw_waiter_node_ *p;

    while ((p = fw_waitqueue_first_(bucket, e)) != NULL) {
        fw_await *op = fw_operation_of_(p);

        if (!may_pass(fw_load64_relaxed(&e->state_), (uint32_t)(uintptr_t)op->aux_))
            break;
        if (fw_operation_claim_(bucket, op) &&
            !fw_wakeups_add_(wakeups, fw_operation_grant_(bucket, op, 0)))
            return fw_waitqueue_first_(bucket, e) == NULL;
    }
    return true;
}

/* EV4 */
static __attribute__((cold, noinline)) void grant_all(const fw_event *e)
{
    struct fw_wakeups_ wakeups;
    bool is_last;

    do {
        struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(e);

        wakeups.n = 0;
        is_last = grant_some(bucket, e, &wakeups);
        fw_waitqueue_unlock_(bucket);
        fw_wakeups_(&wakeups);
    } while (!is_last);
}

static void set_manual(fw_event *e)
{
    uint64_t w = fw_load64_relaxed(&e->state_);
    uint64_t left;

    /* r, m waiters -> r + 1, SET, no waiters; or SET -> SET, so that it synchronises. */
    do
        /* F:event-same-round */
        left = is_set(w) ? w : (uint32_t)(futex_half(w) + EVENT_ROUND) | EVENT_SET;
    while (!fw_cas64_release(&e->state_, &w, left));
    if (is_set(w))
        return;
    if (waiters(w) > 0) /* F:event-wakes-none */
        fw_futex_wake(futex_word(e), FW_FUTEX_ALL, FW_FUTEX_PRIVATE);
    if ((w & EVENT_OPERATIONS) != 0) /* F:event-forgets-operations */
        grant_all(e);
}

static void reset_manual(fw_event *e)
{
    uint64_t w = fw_load64_relaxed(&e->state_);

    while (is_set(w) && !fw_cas64_acq_rel(&e->state_, &w, w & ~EVENT_SET))
        ; /* r, SET -> r */
}

/* r, m waiters -> r, m + 1 waiters.  False: the event was set. */
static bool join(fw_event *e, uint32_t since)
{
    uint64_t w = fw_load64_acquire(&e->state_);

    for (;;) {
        if (may_pass(w, since))
            return false;
        if (waiters(w) == EVENT_WAITERS_MAX)
            fw_panic_("too many waiters", e, fw_self_(), 0);
        if (fw_cas64_relaxed(&e->state_, &w, w + EVENT_WAITER))
            return true;
        w = fw_load64_acquire(&e->state_);
    }
}

/* r, m waiters -> r, m - 1 waiters.  False: the event was set, and nobody is counted any more. */
static bool leave(fw_event *e, uint32_t since)
{
    uint64_t w = fw_load64_acquire(&e->state_);

    while (!may_pass(w, since)) { /* F:event-leaves-twice */
        if (fw_cas64_relaxed(&e->state_, &w, w - EVENT_WAITER))
            return true;
        w = fw_load64_acquire(&e->state_);
    }
    return false;
}

/* Until the event is set (0) or the deadline passes (ETIMEDOUT).  The caller is counted. */
static int wait_in_queue(fw_event *e, uint32_t since, struct fw_wait_ *wait)
{
    for (;;) {
        int error;

        if (may_pass(fw_load64_acquire(&e->state_), since))
            return 0;
        if (fw_wait_spin_(wait))
            continue;
        error = fw_wait_sleep_(wait, futex_word(e), since, FW_FUTEX_ANY_BIT, 0);
        if (error == -ETIMEDOUT)
            return leave(e, since) ? ETIMEDOUT : 0;
    }
}

bool fw_event_enqueue_(fw_event *e, fw_await *op)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(e);
    uint64_t w = fw_load64_acquire(&e->state_);

    /* r -> r, OPERATIONS */
    while (!is_set(w) && !fw_cas64_acquire(&e->state_, &w, w | EVENT_OPERATIONS))
        ;
    op->aux_ = (void *)(uintptr_t)futex_half(w);
    if (!is_set(w))
        fw_operation_enqueue_(bucket, op);
    fw_waitqueue_unlock_(bucket);
    return is_set(w);
}

static int wait_manual(fw_event *e, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    uint64_t w = fw_load64_acquire(&e->state_);
    uint32_t since = futex_half(w);
    struct fw_wait_ wait;
    bool learns, passed = false;
    int error;

    if (is_set(w))
        return 0;
    error = fw_wait_begin_(&wait, policy, deadline);
    if (error != 0)
        return error;
    if (fw_wait_is_over_(&wait))
        return ETIMEDOUT;
    learns = fw_adaptive_spin_begin_(&e->spin_, &wait, policy);
    while (!passed && fw_wait_spin_(&wait))
        passed = may_pass(fw_load64_acquire(&e->state_), since);
    if (learns)
        fw_adaptive_spin_end_(&e->spin_, passed);
    return !passed && join(e, since) ? wait_in_queue(e, since, &wait) : 0;
}

int fw_event_init(fw_event *e, fw_event_kind kind, bool set)
{
    if (kind != FW_EVENT_MANUAL && kind != FW_EVENT_AUTO)
        return EINVAL;
    *e = (fw_event){.kind_ = kind};
    fw_store64_relaxed(&e->state_, set ? EVENT_SET : 0); /* one permit, in an automatic event */
    return 0;
}

/* not set, nobody waits -> set; the guess of a semaphore would be no better. */
static bool set_auto(fw_event *e)
{
    uint64_t w = 0;

    return fw_cas64_release(&e->state_, &w, 1);
}

/* set, nobody waits -> not set. */
static bool pass_auto(fw_event *e)
{
    uint64_t w = 1;

    return fw_cas64_acquire(&e->state_, &w, 0);
}

void fw_event_set(fw_event *e)
{
    if (!is_auto(e))
        set_manual(e);
    else if (!set_auto(e))
        fw_permits_post_(&e->state_, 1, 1); /* false: it was set */
}
FW_LINKABLE_(fw_event_set);

void fw_event_reset(fw_event *e)
{
    if (is_auto(e))
        fw_permits_clear_(&e->state_);
    else
        reset_manual(e);
}

bool fw_event_is_set(const fw_event *e)
{
    return is_auto(e) ? fw_permits_value_(&e->state_) > 0 : is_set(fw_load64_acquire(&e->state_));
}

int fw_event_trywait(fw_event *e)
{
    bool passed = is_auto(e) ? fw_permits_take_(&e->state_) : is_set(fw_load64_acquire(&e->state_));

    return passed ? 0 : EAGAIN;
}

void fw_event_wait(fw_event *e)
{
    fw_event_wait_policy(e, NULL, NULL); /* cannot fail: no deadline, and the default is valid */
}

int fw_event_timedwait(fw_event *e, const fw_deadline *deadline)
{
    return fw_event_wait_policy(e, NULL, deadline);
}

int fw_event_wait_policy(fw_event *e, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    if (!is_auto(e))
        return wait_manual(e, policy, deadline);
    return pass_auto(e) ? 0 : fw_permits_wait_(&e->state_, policy, deadline);
}

static bool any_try(struct fw_any_registration_ *p)
{
    fw_event *e = p->object;
    uint64_t w;

    if (is_auto(e))
        return fw_permits_any_try_(&e->state_, p);
    w = fw_load64_acquire(&e->state_);
    if (p->is_registered && futex_half(w) != p->stamp) {
        p->is_registered = false; /* by the setter (EV2) */
        return true;
    }
    return is_set(w);
}

static bool any_prepare(struct fw_any_registration_ *p, fw_futex_any *sleep)
{
    fw_event *e = p->object;

    if (is_auto(e))
        return fw_permits_any_prepare_(&e->state_, p, sleep);
    if (!p->is_registered) {
        p->stamp = futex_half(fw_load64_relaxed(&e->state_));
        if (!join(e, p->stamp))
            return false;
        p->is_registered = true;
    }
    *sleep = (fw_futex_any){futex_word(e), p->stamp, FW_FUTEX_PRIVATE};
    return true;
}

static void any_leave(struct fw_any_registration_ *p)
{
    fw_event *e = p->object;

    if (is_auto(e))
        fw_permits_any_leave_(&e->state_, p);
    else
        leave(e, p->stamp); /* false: off the list already */
    p->is_registered = false;
}

const struct fw_any_source_ fw_event_source_ = {any_try, any_prepare, any_leave};
