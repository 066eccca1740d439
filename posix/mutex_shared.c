/* SPDX-License-Identifier: MIT */
/*
 * The process-shared mutex.  Contract: mutex_shared.h.  Layout: object.h.
 *
 * Origin: mutex 2 of Drepper, "Futexes are tricky"; it is what the C library has, and processes
 * that run without this library take part.
 *
 *   word  meaning                     left by
 *   0     free                        lock: -> 1; one who has slept: -> 2
 *   1     held, nobody sleeps         unlock: -> 0; a waiter: -> 2
 *   2     held, somebody may sleep    unlock: -> 0, then wakes one
 *
 *   PMU1  Exclusion: only 0 is left by a taker, by one compare-and-swap.
 *   PMU2  A sleeper has seen 2, and one that has slept takes it as 2: others may sleep still.
 *
 *   Legal: 2 without sleepers (one needless wake).  Illegal: 1 while somebody sleeps.
 *
 * The owner, how often it has it and how many use it are written by the owner only.
 */
#include "mutex_shared.h"

#include <errno.h>
#include <stddef.h>

#include <furwock/futex.h>

#include "core/attributes.h"
#include "core/wait.h"
#include "mutex_contended.h"
#include "mutex_type.h"
#include "sys/robust.h"

static bool is_mine(const struct fw_posix_mutex_ *m, uint32_t id)
{
    return fw_load32_relaxed(&m->owner) == id;
}

static bool take(struct fw_posix_mutex_ *m)
{
    uint32_t now = FW_FREE_;

    return fw_cas32_acquire(&m->word, &now, FW_HELD_); /* 0 -> 1 */
}

int fw_shared_trylock_(struct fw_posix_mutex_ *m)
{
    uint32_t id = fw_robust_self_();

    if (fw_type_is_recursive_(m) && is_mine(m, id))
        return fw_type_relock_(m);
    if (!take(m))
        return EBUSY;
    fw_type_sign_(m, id);
    return 0;
}

static int wait_for_it(struct fw_posix_mutex_ *m, const fw_wait_policy *policy,
                       const fw_deadline *deadline)
{
    struct fw_wait_ spin;
    struct fw_contended_waiter_ me = {
        .m = m, .flags = FW_FUTEX_SHARED, .spin = &spin, .deadline = deadline};
    int error = fw_wait_begin_(&spin, policy, deadline);

    return error != 0 ? error : fw_contended_lock_(&me);
}

NOINLINE static int lock_slow(struct fw_posix_mutex_ *m, const fw_wait_policy *policy,
                              const fw_deadline *deadline)
{
    uint32_t id = fw_robust_self_();
    int error = is_mine(m, id) ? fw_type_relock_(m) : FW_TYPE_WAITS; /* F:pshared-relocks */

    if (error != FW_TYPE_WAITS)
        return error;
    error = take(m) ? 0 : wait_for_it(m, policy, deadline);
    if (error == 0)
        fw_type_sign_(m, id);
    return error;
}

/* A leaf, with no stack frame, for what most calls find: mutex.c says why. */
int fw_shared_lock_policy_(struct fw_posix_mutex_ *m, const fw_wait_policy *policy,
                           const fw_deadline *deadline)
{
    uint32_t id = fw_robust_known_();

    if (__builtin_expect(id == 0 || is_mine(m, id) || !take(m), 0))
        return lock_slow(m, policy, deadline);
    fw_type_sign_(m, id);
    return 0;
}

int fw_shared_lock_(struct fw_posix_mutex_ *m, const fw_deadline *deadline)
{
    return fw_shared_lock_policy_(m, NULL, deadline);
}

NOINLINE static int wake_one(struct fw_posix_mutex_ *m)
{
    fw_futex_wake(&m->word, 1, FW_FUTEX_SHARED);
    return 0;
}

static inline int release(struct fw_posix_mutex_ *m)
{
    /* F:pshared-signs-after */
    fw_type_clear_(m, 0);
    /* 1 -> 0, 2 -> 0  F:pshared-no-wake */
    if (fw_xchg32_release(&m->word, FW_FREE_) == FW_CONTENDED_)
        return wake_one(m);
    return 0;
}

NOINLINE static int unlock_typed(struct fw_posix_mutex_ *m)
{
    if (!fw_type_may_release_(m, UINT32_MAX))
        return EPERM;
    if (fw_type_is_recursive_(m) && --m->shared_count != 0) /* F:pshared-lets-go */
        return 0;
    return release(m);
}

int fw_shared_unlock_(struct fw_posix_mutex_ *m)
{
    return fw_type_knows_owner_(m) ? unlock_typed(m) : release(m);
}
