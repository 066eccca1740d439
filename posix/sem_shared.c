/* SPDX-License-Identifier: MIT */
/*
 * Semaphores that processes share, in the C library's own protocol.  Contract: sem_word.h.
 *
 * Origin: Franke, Russell and Kirkwood (OLS 2002, section 3), with value and waiters in one word.
 *
 * value  waiters  meaning                  left by
 * -----  -------  -----------------------  ---------------------------------------------
 * n      0        n units, quiet           anybody: takes; post; waiter: joins
 * 0      m        empty, m wait            post: adds, wakes one; waiter: leaves
 * n      m        n units; wakes are sent  anybody: takes; post: adds, wakes one
 *
 * Legal:   waiters too high (killed ones): needless wakes.
 * Illegal: to sleep without being counted; to sleep with an expected value other than 0.
 *
 * PSEM1  Each post that finds waiters wakes one of those who sleep, after it has added.
 * PSEM2  A thread that was woken looks at the word again, or (cancelled) passes the wake on.
 * PSEM3  After the step that adds a unit the memory is not touched; the wake uses the address only.
 *
 * Whoever sleeps went to sleep with the value 0, and each unit that came after that has sent a wake
 * of its own; so while units and sleepers are there together, as many of the waiters are awake.
 */
#include <errno.h>
#include <stddef.h>

#include <furwock/futex.h>

#include "core/adaptive_spin.h"
#include "core/sleep.h"
#include "core/wait.h"
#include "sem_word.h"
#include "sys/cancel.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the value half comes first");

static const uint32_t *value_word(const struct fw_posix_sem_ *s)
{
    return (const fw_half_ *)&s->state;
}

/* What the next fast path will find when w is in the word.  Before the step that stores w. */
static void predict(struct fw_posix_sem_ *s, uint64_t w)
{
    fw_store32_relaxed(&s->guess, shared_has_waiters(w) ? PERMITS_NO_GUESS : (uint32_t)w);
}

bool fw_sem_shared_take_(struct fw_posix_sem_ *s)
{
    uint64_t w = fw_load64_relaxed(&s->state);

    do {
        if (shared_value(w) == 0)
            return false;
        predict(s, w - 1);
    } while (!fw_cas64_acquire(&s->state, &w, w - 1)); /* n -> n - 1 */
    return true;
}

bool fw_sem_shared_post_(struct fw_posix_sem_ *s)
{
    uint64_t w = fw_load64_relaxed(&s->state);

    do {
        if (shared_value(w) == FW_SEM_VALUE_MAX_)
            return false;
        /* F:psem-wakes-first */
        predict(s, w + 1);
    } while (!fw_cas64_release(&s->state, &w, w + 1)); /* n -> n + 1 */
    /* F:psem-looks-after */
    if (shared_has_waiters(w))
        fw_futex_wake(value_word(s), 1, FW_FUTEX_SHARED); /* PSEM3 */
    return true;
}

struct sleeper {
    struct fw_posix_sem_ *s;
    struct fw_wait_ wait;
};

/* m waiters -> m - 1, without a unit. */
static uint64_t leave(struct fw_posix_sem_ *s)
{
    return fw_add64_acq_rel(&s->state, -SHARED_WAITER_) - SHARED_WAITER_;
}

/* It may have been woken as it was cancelled (PSEM2). */
static void cancelled(void *sleeper)
{
    struct sleeper *me = (struct sleeper *)sleeper;
    uint64_t left = leave(me->s);

    if (shared_value(left) > 0 && shared_has_waiters(left)) /* F:psem-swallows-wake */
        fw_futex_wake(value_word(me->s), 1, FW_FUTEX_SHARED);
}

static int sleep_while_empty(struct sleeper *me)
{
    if (!fw_wait_blocks_(&me->wait)) {
        fw_cancel_point_(cancelled, me);
        return fw_wait_sleep_(&me->wait, value_word(me->s), 0, FW_FUTEX_ANY_BIT, 0);
    }
    return fw_sleep_cancellable_(value_word(me->s), 0, FW_FUTEX_SHARED, me->wait.deadline,
                                 cancelled, me);
}

/* Spins for as long as that pays; true: took a unit. */
static bool take_spinning(struct sleeper *me)
{
    bool learns = fw_adaptive_spin_begin_(&me->s->spin, &me->wait, NULL);
    bool taken = false;

    while (!taken && fw_wait_spin_(&me->wait))
        if (shared_value(fw_load64_relaxed(&me->s->state)) > 0) {
            if (learns) /* before the unit is taken: PSEM3 */
                fw_adaptive_spin_end_(&me->s->spin, true);
            learns = false;
            taken = fw_sem_shared_take_(me->s);
        }
    if (learns)
        fw_adaptive_spin_end_(&me->s->spin, false);
    return taken;
}

/* Is counted; until there is a unit (n, m -> n - 1, m - 1), or the wait has another end. */
static int wait_counted(struct sleeper *me)
{
    struct fw_posix_sem_ *s = me->s;
    int end = 0;

    for (;;) {
        uint64_t w = fw_load64_relaxed(&s->state);

        if (shared_value(w) > 0) {
            uint64_t left = w - 1 - SHARED_WAITER_; /* F:psem-takes-twice */

            predict(s, left);
            if (fw_cas64_acquire(&s->state, &w, left))
                return 0;
            continue;
        }
        if (end != 0) {
            leave(s); /* F:psem-still-counted */
            return end;
        }
        end = -sleep_while_empty(me);
        if (end == EAGAIN)
            end = 0;
    }
}

int fw_sem_shared_wait_(struct fw_posix_sem_ *s, const fw_deadline *deadline)
{
    struct sleeper me = {.s = s};
    int error;

    if (fw_sem_shared_take_(s))
        return 0;
    error = fw_wait_begin_(&me.wait, NULL, deadline);
    if (error != 0)
        return error;
    if (fw_wait_is_over_(&me.wait))
        return ETIMEDOUT;
    if (take_spinning(&me))
        return 0;
    fw_store32_relaxed(&s->guess, PERMITS_NO_GUESS);
    fw_add64_acquire(&s->state, SHARED_WAITER_); /* m waiters -> m + 1  F:psem-uncounted */
    return wait_counted(&me);
}
