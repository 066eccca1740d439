/* SPDX-License-Identifier: MIT */
/*
 * Waiting for permits: spinning, sleeping, and the reservation for a waiter that keeps losing.  The
 * states, and the invariants PERM1 to PERM4: permits.c.
 *
 * Origin: as in permits.c; spinning before the sleep is Franke, Russell and Kirkwood's (OLS 2002,
 * section 2).
 */
#include <errno.h>
#include <stddef.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>

#include "core/adaptive_spin.h"
#include "core/recheck.h"
#include "core/wait.h"
#include "sys/clock.h"
#include "sys/schedule.h"
#include "thread/mode.h"
#include "thread/permits.h"
#include "thread/permits_word.h"

static fw_half_ *spin_state_of(uint64_t *state)
{
    return (fw_half_ *)state + PERMITS_SPIN_AT / 4;
}

/* A thread in fw_permits_wait_; it lives on that thread's stack. */
struct waiter {
    uint64_t *state;
    enum fw_mode_ mode;
    bool is_woken;  /* just now; not looked at the clock yet */
    bool was_woken; /* and lost the race, at woken_at for the first time */
    bool starves;
    bool has_reservation;
    uint64_t woken_at;
    struct fw_wait_ wait;
};

static bool may_take(const struct waiter *me, fw_permits_word_ w)
{
    return me->has_reservation ? permits_value(w) > 0 : permits_available(w) > 0;
}

static bool take(struct waiter *me, fw_permits_word_ w)
{
    if (!me->has_reservation)
        return fw_permits_take_waiting_(me->state, w);
    /* n permits, RESERVED, m waiters -> n - 1, m - 1 */
    return fw_cas64_acquire(me->state, &w,
                            without_waiter((w - 1) & ~(PERMITS_RESERVED | PERMITS_RECHECKING)));
}

static bool give_up(struct waiter *me, fw_permits_word_ w)
{
    if (!me->has_reservation)
        return fw_permits_leave_(me->state, w);
    /* empty, RESERVED, m waiters -> m - 1 (PERM3) */
    return fw_cas64_relaxed(me->state, &w,
                            without_waiter(w & ~(PERMITS_RESERVED | PERMITS_RECHECKING)));
}

/* empty -> empty, RESERVED.  This waiter is not one of the others any more: waking starts at 0. */
static void reserve(struct waiter *me, fw_permits_word_ w)
{
    me->has_reservation = fw_cas64_relaxed(me->state, &w, with_waking(w, 0) | PERMITS_RESERVED);
}

/* Another has taken the permit that this one was woken for, or that was reserved for it. */
static void cancelled(void *wait)
{
    struct waiter *me = (struct waiter *)((char *)wait - offsetof(struct waiter, wait));

    for (;;) {
        fw_permits_word_ w = fw_load64_relaxed(me->state);

        if (me->has_reservation && permits_value(w) > 0) { /* F:sem-cancelled-leaves-unit */
            if (take(me, w)) {
                fw_permits_post_(me->state, 1, PERMITS_VALUE_MAX); /* F:sem-cancelled-keeps */
                return;
            }
        } else if (give_up(me, w)) { /* F:sem-cancelled-stays */
            return;
        }
    }
}

/* In slices only if the caller does not want to know whether a signal handler ran. */
static int sleep_on(struct waiter *me, const uint32_t *word, uint32_t expected, uint64_t slice_ns)
{
    if (me->mode == FW_MODE_POSIX)
        return fw_wait_sleep_cancellable_(&me->wait, word, expected, FW_FUTEX_ANY_BIT, cancelled);
    return fw_wait_sleep_(&me->wait, word, expected, FW_FUTEX_ANY_BIT, slice_ns);
}

/* empty, RESERVED -> RECHECKING, and asleep on the value, which only a post can change. */
static int sleep_on_value(struct waiter *me, fw_permits_word_ w)
{
    /* F:sem-recheck-unseen */
    if (!is_rechecking(w) && !fw_cas64_relaxed(me->state, &w, w | PERMITS_RECHECKING))
        return -EAGAIN;
    return sleep_on(me, permits_value_word(me->state), value_half(w), 0);
}

/* nothing available -> waking 0, and sleeps. */
static int sleep_in_queue(struct waiter *me, fw_permits_word_ w)
{
    fw_permits_word_ wanted = with_waking(w, 0); /* F:sem-sleeps-with-wakes */
    uint64_t slice_ns = me->was_woken && !me->starves ? FW_STARVATION_NS : 0;

    if (wanted != w && !fw_cas64_relaxed(me->state, &w, wanted))
        return -EAGAIN;
    return sleep_on(me, permits_sleepers_word(me->state), sleepers_half(wanted), slice_ns);
}

/* After a wake that found no permit: reserves one after FW_STARVATION_NS. */
static void note_wake(struct waiter *me)
{
    uint64_t now = fw_clock_ns_();

    if (!me->was_woken)
        me->woken_at = now;
    me->is_woken = false;
    me->was_woken = true;
    me->starves = now - me->woken_at >= FW_STARVATION_NS;
}

/* One sleep, or one step towards it. */
static int sleep_once(struct waiter *me, fw_permits_word_ w)
{
    if (me->is_woken)
        note_wake(me);
    if (me->starves && !is_reserved(w)) {
        reserve(me, w);
        return -EAGAIN;
    }
    if (!fw_wait_blocks_(&me->wait))
        return sleep_on(me, permits_sleepers_word(me->state), 0, 0);
    return me->has_reservation ? sleep_on_value(me, w) : sleep_in_queue(me, w);
}

/* Leaves without a permit: POSIX lets no wait fail beside one, even if it is reserved. */
static int end(struct waiter *me, int error)
{
    return me->mode == FW_MODE_POSIX && fw_permits_take_any_(me->state) ? 0 : error;
}

/* Waits, counted since w, until a permit is taken (0) or the wait ends (ETIMEDOUT, EINTR). */
static int wait_in_queue(struct waiter *me, fw_permits_word_ w)
{
    int over = 0;

    for (;; w = fw_load64_relaxed(me->state)) {
        int error;

        if (may_take(me, w)) { /* F:sem-gives-unit-up */
            if (take(me, w))
                return 0;
            continue;
        }
        if (over != 0) {
            if (give_up(me, w))
                return end(me, over);
            continue;
        }
        if (fw_wait_spin_(&me->wait))
            continue;
        error = sleep_once(me, w);
        if (error == -ETIMEDOUT || (error == -EINTR && me->mode == FW_MODE_POSIX))
            over = -error; /* F:sem-interrupted-stays */
        if (error == 0)
            me->is_woken = true;
        if (error == 0 || error == -EINTR)
            fw_wait_again_(&me->wait);
    }
}

/* Spins until the budget of the policy is used up, then joins.  True: took a permit instead. */
static bool take_or_join(struct waiter *me, const fw_wait_policy *policy, fw_permits_word_ *joined)
{
    bool learns = fw_adaptive_spin_begin_(spin_state_of(me->state), &me->wait, policy);

    while (fw_wait_spin_(&me->wait))
        if (permits_available(fw_load64_relaxed(me->state)) > 0) {
            if (learns)
                fw_adaptive_spin_end_(spin_state_of(me->state), true);
            learns = false;
            if (fw_permits_take_(me->state))
                return true;
        }
    if (learns)
        fw_adaptive_spin_end_(spin_state_of(me->state), false);
    while (!fw_permits_join_(me->state, joined))
        if (fw_permits_take_(me->state))
            return true;
    return false;
}

/* A real-time thread that waits may keep the one with the reservation from running. */
static bool may_pass(const struct waiter *me)
{
    return me->mode == FW_MODE_POSIX && fw_permits_value_(me->state) > 0 && fw_urgency_() != 0;
}

static int wait_as(uint64_t *state, const fw_wait_policy *policy, const fw_deadline *deadline,
                   enum fw_mode_ mode)
{
    struct waiter me = {.state = state, .mode = mode};
    fw_permits_word_ w;
    int error;

    if (fw_permits_take_(state) || (may_pass(&me) && fw_permits_take_any_(state)))
        return 0;
    error = fw_wait_begin_(&me.wait, policy, deadline);
    if (error != 0)
        return error;
    if (fw_wait_is_over_(&me.wait))
        return end(&me, ETIMEDOUT);
    return take_or_join(&me, policy, &w) ? 0 : wait_in_queue(&me, w);
}

int fw_permits_wait_(uint64_t *state, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    return wait_as(state, policy, deadline, FW_MODE_CHECKED);
}

int fw_permits_wait_posix_(uint64_t *state, const fw_deadline *deadline)
{
    return wait_as(state, NULL, deadline, FW_MODE_POSIX);
}
