/* SPDX-License-Identifier: MIT */
/*
 * fw_mutex_await.  Contract: furwock/mutex.h.  States and invariants of one that waits:
 * mutex_condition.h; the list of them: mutex_condition.c;
 * what a release does: mutex_queue.c (MU11, MU12).  Reasons and figures:
 * doc/design/mutex-await.md.
 *
 * Origin: conditional critical regions (Hoare 1971, Brinch Hansen 1972); that the releaser
 * evaluates the predicates is in Abseil's Mutex::Await and nsync_mu_wait.
 */
#include <errno.h>
#include <stddef.h>

#include "core/sleep.h"
#include "core/thread_state.h"
#include "core/wait.h"
#include "sys/panic.h"
#include "sys/slice.h"
#include "sys/thread.h"
#include "thread/mutex_condition.h"
#include "thread/mutex_word.h"

_Static_assert(offsetof(struct fw_condition_, wait) == 0, "the clean-up finds the record");

static bool is_granted(const struct fw_condition_ *me)
{
    return fw_load32_acquire(&me->state) == CONDITION_GRANTED;
}

/* WAITING -> LEFT, and out of the list, with the mutex.  False: a releaser has chosen it. */
static bool give_up(struct fw_condition_ *me)
{
    uint32_t waiting = CONDITION_WAITING;

    if (!fw_cas32_relaxed(&me->state, &waiting, CONDITION_LEFT)) /* F:condition-leaves-chosen */
        return false;
    fw_mutex_lock(me->m);
    fw_condition_leave_(me->m, me); /* F:condition-stays */
    return true;
}

/* CHOSEN: the mutex comes in a moment. */
static void wait_for_grant(struct fw_condition_ *me)
{
    while (!is_granted(me))
        fw_sleep_(&me->state, CONDITION_CHOSEN, FW_FUTEX_PRIVATE, NULL);
}

/* The thread is cancelled: its clean-up handlers find the mutex held. */
static void on_cancel(void *wait)
{
    struct fw_condition_ *me = wait;

    if (!give_up(me))
        wait_for_grant(me);
}

/* Spins for as long as the policy has budget, unless that has not paid lately (as fw_cond). */
static void spin(struct fw_condition_ *me)
{
    if (fw_wait_blocks_(&me->wait) && !fw_spinning_pays_(FW_SPIN_WAKE_))
        me->wait.budget_ns = 0;
    if (me->wait.budget_ns == 0)
        return;
    while (!is_granted(me) && fw_wait_spin_(&me->wait))
        ;
    fw_spinning_ended_(FW_SPIN_WAKE_, is_granted(me));
}

/* 0: it has the mutex, and the predicate holds; ETIMEDOUT: it has the mutex. */
static int wait_until_granted(struct fw_condition_ *me)
{
    spin(me);
    while (!is_granted(me)) {
        int error = fw_wait_sleep_cancellable_(&me->wait, &me->state, CONDITION_WAITING,
                                               FW_FUTEX_ANY_BIT, on_cancel);
        if (fw_load32_relaxed(&me->state) == CONDITION_CHOSEN)
            wait_for_grant(me);
        else if (error == -ETIMEDOUT && give_up(me))
            return me->predicate(me->arg) ? 0 : ETIMEDOUT;
    }
    fw_slice_ask_(me->m);
    return 0;
}

__attribute__((cold, noinline)) static int await_slow(fw_mutex *m, bool (*predicate)(void *),
                                                      void *arg, const fw_deadline *deadline)
{
    struct fw_condition_ me = {.id = fw_self_(), .m = m, .predicate = predicate, .arg = arg};
    int error = fw_wait_begin_(&me.wait, NULL, deadline);

    if (error != 0)
        return error;
    if (fw_wait_is_over_(&me.wait))
        return ETIMEDOUT;
    fw_mutex_release_and_wait_(m, &me);
    return wait_until_granted(&me);
}

static void refuse_stranger(const fw_mutex *m)
{
    uint32_t owner = owner_half(fw_load64_relaxed(&m->state_));

    if (owner != fw_self_())
        fw_panic_("condition awaited with a mutex that the caller does not own", m, fw_self_(),
                  (owner & MUTEX_HANDOFF) != 0 || owner == FW_ID_HELD ? 0 : owner);
}

int fw_mutex_timedawait(fw_mutex *m, bool (*predicate)(void *), void *arg,
                        const fw_deadline *deadline)
{
    refuse_stranger(m);
    return predicate(arg) ? 0 : await_slow(m, predicate, arg, deadline);
}

void fw_mutex_await(fw_mutex *m, bool (*predicate)(void *), void *arg)
{
    refuse_stranger(m);
    if (!predicate(arg))
        await_slow(m, predicate, arg, NULL); /* cannot fail: there is no deadline */
}
