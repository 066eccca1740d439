/* SPDX-License-Identifier: MIT */
/*
 * fw_latch.  Contract: furwock/latch.h.  Bits: latch_word.h.  Reasons: doc/design/latch.md.
 *
 * Origin: the latch of C++20 (std::latch, from N2626 and N3998) on a futex.
 *
 * left   flag        meaning                      left by
 * -----  ----------  ---------------------------  ------------------------------------------------
 * n > 0  -           closed, nobody sleeps        anybody: counts down; a waiter: sets SLEEPERS
 * n > 0  SLEEPERS    closed, somebody may sleep   anybody: counts down; the last wakes all
 * 0      any         open                         nobody
 *
 * OPERATIONS is set like SLEEPERS, by an operation inside the bucket, where it is queued then: the
 * last one to count grants all that are.
 *
 * Legal:   SLEEPERS set when nobody sleeps (one needless wake), also on an open latch; OPERATIONS
 *          when none is queued.
 * Illegal: to sleep with an expected value in which SLEEPERS is not set; to clear SLEEPERS.
 *
 * LA1  A thread that sleeps has set SLEEPERS, or found it set, while the latch was closed; so the
 *      count-down that opens it sees the flag, and wakes.
 * LA2  After the addition that opens the latch the counting thread does not touch its memory (the
 *      wake that may follow uses the address only), except for operations that it finds queued: as
 *      long as one is, inside the bucket, a latch is there, though not always the same, since
 *      OPERATIONS may be of a former operation, and a thread that passed frees the latch.
 */
#include <errno.h>
#include <stddef.h>

#include <furwock/bits/atomic.h>
#include <furwock/bits/self.h>
#include <furwock/futex.h>
#include <furwock/latch.h>

#include "core/attributes.h"
#include "core/linkable.h"
#include "core/wait.h"
#include "sys/panic.h"
#include "thread/any_source.h"
#include "thread/event_queue.h"
#include "thread/latch_word.h"

_Static_assert(sizeof(fw_latch) == 4, "the public promise");

int fw_latch_init(fw_latch *l, uint32_t n)
{
    if (n > FW_LATCH_MAX)
        return EINVAL;
    fw_store32_relaxed(&l->state_, n);
    return 0;
}

/*
 * LA2.  Inside the bucket; false: there may be more.  Operations at a latch that is closed wait for
 * another one, in the same memory.
 */
static bool grant_some(struct fw_waitqueue_ *bucket, const fw_latch *l, struct fw_wakeups_ *wakeups)
{
    struct fw_waiter_node_ *p;

    while ((p = fw_waitqueue_first_(bucket, l)) != NULL && fw_latch_trywait(l) == 0) {
        fw_await *op = fw_operation_of_(p);

        if (fw_operation_claim_(bucket, op) &&
            !fw_wakeups_add_(wakeups, fw_operation_grant_(bucket, op, 0)))
            return false;
    }
    return true;
}

static void grant_all(const fw_latch *l)
{
    bool is_last;

    do {
        struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(l);
        struct fw_wakeups_ wakeups;

        wakeups.n = 0;
        is_last = grant_some(bucket, l, &wakeups);
        fw_waitqueue_unlock_(bucket);
        fw_wakeups_(&wakeups);
    } while (!is_last);
}

bool fw_latch_enqueue_(fw_latch *l, fw_await *op)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(l);
    /* closed -> closed, OPERATIONS */
    uint32_t w = fw_or32_relaxed(&l->state_, LATCH_OPERATIONS);
    bool is_open = latch_is_open(w) && fw_latch_trywait(l) == 0; /* acquires */

    if (!is_open)
        fw_operation_enqueue_(bucket, op);
    fw_waitqueue_unlock_(bucket);
    return is_open;
}

/* After the count-down that opened it, when w was seen.  LA1, LA2 */
COLD static void tell_all(const fw_latch *l, uint32_t w)
{
    if (latch_has_sleepers(w)) /* F:latch-no-wake */
        /* F:latch-wakes-one */
        fw_futex_wake(&l->state_, FW_FUTEX_ALL, FW_FUTEX_PRIVATE);
    if (latch_has_operations(w))
        grant_all(l);
}

/* left -> left - n.  True if the latch is open now. */
static bool count(fw_latch *l, uint32_t n)
{
    uint32_t w = fw_add32_acq_rel(&l->state_, 0u - n); /* F:latch-wakes-first */

    if (latch_left(w) < n)
        fw_panic_("latch counted below zero", l, fw_self_(), 0);
    if (latch_left(w) > n)
        return false;
    if (w != n && n != 0)
        tell_all(l, w);
    return true;
}

void fw_latch_count_down(fw_latch *l, uint32_t n)
{
    count(l, n);
}
FW_LINKABLE_(fw_latch_count_down);

int fw_latch_trywait(const fw_latch *l)
{
    return latch_is_open(fw_load32_acquire(&l->state_)) ? 0 : EAGAIN;
}

/* closed -> closed, SLEEPERS.  Returns the word as it is then; relaxed: it transfers no data. */
static uint32_t announce(fw_latch *l)
{
    return fw_or32_relaxed(&l->state_, LATCH_SLEEPERS) | LATCH_SLEEPERS;
}

COLD static int wait_slow(fw_latch *l, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    struct fw_wait_ wait;
    int error = fw_wait_begin_(&wait, policy, deadline);

    if (error != 0)
        return error;
    if (fw_wait_is_over_(&wait))
        return ETIMEDOUT;
    for (;;) {
        uint32_t w = fw_load32_acquire(&l->state_);

        if (latch_is_open(w))
            return 0;
        if (error == -ETIMEDOUT)
            return ETIMEDOUT;
        if (fw_wait_spin_(&wait))
            continue;
        if (!latch_has_sleepers(w) && fw_wait_blocks_(&wait)) /* F:latch-sleeps-unannounced */
            w = announce(l);                                  /* F:latch-stale-sleep */
        if (latch_is_open(w))
            continue;
        error = fw_wait_sleep_(&wait, &l->state_, w, FW_FUTEX_ANY_BIT, 0);
    }
}

int fw_latch_wait_policy(fw_latch *l, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    return fw_latch_trywait(l) == 0 ? 0 : wait_slow(l, policy, deadline);
}

int fw_latch_timedwait(fw_latch *l, const fw_deadline *deadline)
{
    return fw_latch_wait_policy(l, NULL, deadline);
}

void fw_latch_wait(fw_latch *l)
{
    fw_latch_wait_policy(l, NULL, NULL); /* cannot fail */
}

void fw_latch_arrive_and_wait(fw_latch *l, uint32_t n)
{
    if (!count(l, n))
        fw_latch_wait(l);
}
FW_LINKABLE_(fw_latch_arrive_and_wait);

/* --- For fw_wait_any -------------------------------------------------------------------------- */

static bool any_try(struct fw_any_registration_ *p)
{
    return fw_latch_trywait(p->object) == 0;
}

static bool any_prepare(struct fw_any_registration_ *p, fw_futex_any *sleep)
{
    fw_latch *l = p->object;

    *sleep = (fw_futex_any){&l->state_, announce(l), FW_FUTEX_PRIVATE};
    return !latch_is_open(sleep->expected);
}

/* The flag stays: legal. */
static void any_leave(struct fw_any_registration_ *p)
{
    (void)p;
}

const struct fw_any_source_ fw_latch_source_ = {any_try, any_prepare, any_leave};
