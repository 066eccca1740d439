/* SPDX-License-Identifier: MIT */
/*
 * The mutex with a ceiling.  Contract: mutex_protect.h.  Layout: object.h.
 *
 * Origin: Sha, Rajkumar, Lehoczky, "Priority inheritance protocols" (1990), in the form of
 * POSIX: the owner has the priority of the ceiling at once ("immediate ceiling").  The word is the
 * C library's, and processes that run without this library take part.
 *
 *   bits 19-31   bits 0-18   meaning                     left by
 *   ceiling      0           free                        lock: -> 1; one who has slept: -> 2
 *   ceiling      1           held, nobody sleeps         unlock: -> 0; a waiter: -> 2
 *   ceiling      2           held, somebody may sleep    unlock: -> 0, then wakes one
 *
 *   PPR1  Exclusion: as in mutex_shared.c, PMU1 and PMU2.
 *   PPR2  The ceiling is changed by one who holds the mutex; its waiters then begin anew.
 *   PPR3  Whoever takes it has raised itself to the ceiling before, and lowers itself after the
 *         release: it never holds the mutex with less.
 *
 * Nobody spins: a waiter has the owner's priority, and may have its CPU.
 */
#include "mutex_protect.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include <furwock/futex.h>

#include "boost.h"
#include "mutex_contended.h"
#include "mutex_type.h"
#include "sys/clock.h"
#include "sys/robust.h"
#include "sys/schedule.h"

/* The bits below the ceiling. */
#define STATE ((UINT32_C(1) << FW_PROTECT_SHIFT) - 1)

static uint32_t state_of(uint32_t word)
{
    return word & STATE;
}

static unsigned flags_of(const struct fw_posix_mutex_ *m)
{
    return (m->kind & FW_KIND_SHARED) != 0 ? FW_FUTEX_SHARED : FW_FUTEX_PRIVATE;
}

/* There are no robust ones; a mutex that was destroyed has all bits set. */
static bool is_possible(const struct fw_posix_mutex_ *m)
{
    return (m->kind & FW_KIND_ROBUST) == 0;
}

static bool is_mine(const struct fw_posix_mutex_ *m, uint32_t id)
{
    return fw_load32_relaxed(&m->owner) == id;
}

/* Waits for the word: 0, ETIMEDOUT, EINVAL, FW_CONTENDED_CHANGED_. */
static int wait_for_it(struct fw_posix_mutex_ *m, uint32_t ceiling, const fw_deadline *deadline)
{
    struct fw_contended_waiter_ me = {
        .m = m,
        .free = ceiling,
        .fixed = ~STATE,
        .flags = flags_of(m),
        .deadline = deadline,
    };

    return fw_deadline_is_valid_(deadline) ? fw_contended_lock_(&me) : EINVAL;
}

/* With that ceiling: as wait_for_it, and EBUSY if the caller does not wait. */
static int take(struct fw_posix_mutex_ *m, uint32_t ceiling, bool waits,
                const fw_deadline *deadline)
{
    uint32_t now = ceiling;

    if (fw_cas32_acquire(&m->word, &now, ceiling | FW_HELD_)) /* 0 -> 1 */
        return 0;
    if (fw_protect_ceiling_(now) != fw_protect_ceiling_(ceiling))
        return FW_CONTENDED_CHANGED_;
    return waits ? wait_for_it(m, ceiling, deadline) : EBUSY;
}

/* PPR3 */
static int raise_and_take(struct fw_posix_mutex_ *m, bool waits, const fw_deadline *deadline)
{
    int error;

    do {
        int ceiling = fw_protect_ceiling_(fw_load32_relaxed(&m->word));

        if (fw_boost_own_priority_() > ceiling)
            return EINVAL;
        error = fw_boost_raise_(ceiling);
        if (error != 0)
            return error;
        error = take(m, fw_protect_word_(ceiling), waits, deadline);
        if (error != 0)
            fw_boost_lower_(ceiling);
    } while (error == FW_CONTENDED_CHANGED_);
    return error;
}

static int lock(struct fw_posix_mutex_ *m, bool waits, const fw_deadline *deadline)
{
    uint32_t id = fw_robust_self_();
    int error;

    if (!is_possible(m))
        return EINVAL;
    error = is_mine(m, id) ? fw_type_relock_(m) : FW_TYPE_WAITS;
    if (error != FW_TYPE_WAITS)
        return error;
    error = raise_and_take(m, waits, deadline);
    if (error == 0)
        fw_type_sign_(m, id);
    return error;
}

int fw_protect_trylock_(struct fw_posix_mutex_ *m)
{
    return lock(m, false, NULL);
}

int fw_protect_lock_(struct fw_posix_mutex_ *m, const fw_deadline *deadline)
{
    return lock(m, true, deadline);
}

int fw_protect_unlock_(struct fw_posix_mutex_ *m)
{
    uint32_t now = fw_load32_relaxed(&m->word);
    unsigned flags = flags_of(m);

    if (!is_possible(m))
        return EINVAL;
    if (!fw_type_may_release_(m, STATE))
        return EPERM;
    if (fw_type_is_recursive_(m) && --m->shared_count != 0)
        return 0;
    fw_type_clear_(m, 0);
    while (!fw_cas32_release(&m->word, &now, now - state_of(now))) /* 1 -> 0, 2 -> 0 */
        ;
    if (state_of(now) == FW_CONTENDED_)
        fw_futex_wake(&m->word, 1, flags);
    return fw_boost_lower_(fw_protect_ceiling_(now));
}

int fw_protect_lowest_(void)
{
    return fw_fifo_lowest_();
}

bool fw_protect_is_ceiling_(int ceiling)
{
    return ceiling >= fw_fifo_lowest_() && ceiling <= fw_fifo_highest_();
}

/* Takes the mutex without the protocol; the ceiling that it has. */
static int hold(struct fw_posix_mutex_ *m)
{
    int ceiling;

    do
        ceiling = fw_protect_ceiling_(fw_load32_relaxed(&m->word));
    while (take(m, fw_protect_word_(ceiling), true, NULL) == FW_CONTENDED_CHANGED_);
    return ceiling;
}

/* The caller has it recursively, with the protocol. */
static int change_ceiling_held(struct fw_posix_mutex_ *m, int ceiling, int *old)
{
    uint32_t now = fw_load32_relaxed(&m->word);
    int error = fw_boost_raise_(ceiling);

    if (error != 0)
        return error;
    *old = fw_protect_ceiling_(now);
    while (!fw_cas32_relaxed(&m->word, &now, fw_protect_word_(ceiling) | state_of(now)))
        ; /* PPR2 */
    fw_futex_wake(&m->word, FW_FUTEX_ALL, flags_of(m));
    return fw_boost_lower_(*old);
}

int fw_protect_set_ceiling_(struct fw_posix_mutex_ *m, int ceiling, int *old)
{
    unsigned flags = flags_of(m);

    if (!is_possible(m) || !fw_protect_is_ceiling_(ceiling))
        return EINVAL;
    if (is_mine(m, fw_robust_self_())) {
        if (fw_kind_type_(m->kind) == FW_KIND_ERRORCHECK)
            return EDEADLK;
        if (fw_type_is_recursive_(m))
            return change_ceiling_held(m, ceiling, old);
    }
    *old = hold(m);
    fw_xchg32_release(&m->word, fw_protect_word_(ceiling)); /* PPR2 */
    fw_futex_wake(&m->word, FW_FUTEX_ALL, flags);
    return 0;
}
