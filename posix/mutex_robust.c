/* SPDX-License-Identifier: MIT */
/*
 * The robust mutex.  Contract: mutex_robust.h.  Layout: object.h.  Bits: sys/robust.h.
 *
 * Origin: Molnar, Gleixner, "Robust futexes" (Linux 2.6.17); the protocol is the C library's, and
 * processes that run without this library take part.
 *
 *   word         meaning                          left by
 *   0            free                             lock: -> id; one who has slept: -> id|W
 *   id           held                             unlock: -> 0; waiter: -> id|W; kernel: -> DIED
 *   id|W         held, somebody may sleep         unlock: -> 0, wakes; kernel: -> DIED|W, wakes
 *   DIED[|W]     the owner died holding it        lock: -> id[|W], EOWNERDEAD
 *
 *   owner        beside the word
 *   id, 0        held and sound, or free
 *   INCONSISTENT held; what a dead owner left is not repaired: consistent: -> id; unlock: -> GONE
 *   GONE         nobody gets it any more: who takes the word gives it back
 *
 *   PROB1  Exclusion: a word that names a living thread is changed by nobody else, except for W.
 *   PROB2  The word is announced to the kernel before it can become the caller's, and until it is
 *          in the thread's list or cannot be the caller's any more.  So no death goes unnoticed.
 *   PROB3  The thread that takes DIED makes the mutex INCONSISTENT before anything else; if it dies
 *          before that, it leaves DIED again.  So nobody gets the mutex without EOWNERDEAD.
 *   PROB4  A sleeper has seen W; one that has slept takes the word with W: others may sleep still.
 *   PROB5  A sleeper looks again after a re-check interval.  If a woken thread dies, the kernel
 *          wakes another, except if a third has the word already, without W: then the sleepers
 *          wait for the end of the interval.
 *
 *   Legal: W without sleepers (one needless wake).
 *   Illegal: to leave GONE, but by initialising the mutex anew.
 */
#include "mutex_robust.h"

#include <errno.h>
#include <stddef.h>

#include <furwock/futex.h>

#include "core/attributes.h"
#include "core/owner_word.h"
#include "core/recheck.h"
#include "core/sleep.h"
#include "core/wait.h"
#include "mutex_type.h"
#include "sys/robust.h"
#include "sys/robust_list.h"

static uint32_t owner_of(uint32_t word)
{
    return word & FW_ROBUST_OWNER;
}

static bool has_waiters(uint32_t word)
{
    return (word & FW_ROBUST_WAITERS) != 0;
}

static bool has_died(uint32_t word)
{
    return (word & FW_ROBUST_DIED) != 0;
}

/* id[|W] -> 0 */
static void put_back(struct fw_posix_mutex_ *m)
{
    if (has_waiters(fw_xchg32_release(&m->word, 0))) /* F:probust-no-wake */
        fw_futex_wake(&m->word, 1, FW_FUTEX_SHARED);
}

/* The word, which was `before`, is the caller's. */
static int have(struct fw_posix_mutex_ *m, uint32_t id, uint32_t before)
{
    if (fw_load32_relaxed(&m->owner) == FW_OWNER_GONE) {
        m->shared_count = 0;
        put_back(m); /* F:probust-keeps-lost */
        return ENOTRECOVERABLE;
    }
    if (has_died(before)) { /* the dead owner is still among the users */
        m->shared_count = 1;
        fw_store32_relaxed(&m->owner, FW_OWNER_INCONSISTENT); /* PROB3  F:probust-sound-successor */
    } else {
        fw_type_sign_(m, id);
    }
    fw_robust_enter_(&m->word, 0);            /* F:probust-successor-unlisted */
    return has_died(before) ? EOWNERDEAD : 0; /* F:probust-quiet-successor */
}

/*
 * Tries to get the word, with W or 0 in `extra`.  FW_TYPE_WAITS: somebody else has it, or the
 * caller itself, and its type lets it wait; *now is the word as it was seen.
 */
static int attempt(struct fw_posix_mutex_ *m, uint32_t id, uint32_t extra, uint32_t *now)
{
    while (owner_of(*now) == 0) { /* F:probust-robs */
        uint32_t before = *now;
        uint32_t mine = id | (before & FW_ROBUST_WAITERS) | extra;
        if (fw_cas32_acquire(&m->word, now, mine)) /* 0, DIED[|W] -> id[|W] */
            return have(m, id, before);
    }
    return owner_of(*now) == id ? fw_type_relock_(m) : FW_TYPE_WAITS;
}

struct waiter {
    struct fw_posix_mutex_ *m;
    uint32_t id;
    struct fw_wait_ spin;
    struct fw_bounded_sleep_ sleep;
};

static int attempt_again(void *waiter, uint64_t *word, uint64_t extra)
{
    const struct waiter *me = waiter;
    uint32_t now = (uint32_t)*word;
    int error = attempt(me->m, me->id, (uint32_t)extra, &now);

    *word = now;
    return error == FW_TYPE_WAITS ? EBUSY : error;
}

static bool spin(void *waiter, uint64_t now)
{
    struct waiter *me = waiter;

    return fw_wait_spin_knowing_(&me->spin, fw_running_in_(owner_of((uint32_t)now), 0));
}

static int sleep_once(void *waiter, uint64_t now)
{
    struct waiter *me = waiter;
    int error = fw_sleep_bounded_(&me->sleep, &me->m->word, (uint32_t)now, FW_FUTEX_ANY_BIT);

    if (error == 0)
        fw_running_slept_();
    fw_wait_again_(&me->spin);
    return error == -ETIMEDOUT ? ETIMEDOUT : 0;
}

static int wait_for_it(struct fw_posix_mutex_ *m, uint32_t id, uint32_t now,
                       const fw_wait_policy *policy, const fw_deadline *deadline)
{
    static const struct fw_owner_word_ how = {
        .waiters = FW_ROBUST_WAITERS,
        .attempt = attempt_again,
        .spin = spin,
        .sleep = sleep_once,
    };
    struct waiter me = {
        .m = m, .id = id, .sleep = {FW_FUTEX_SHARED, FW_RECHECK_POSIX_ROBUST_NS, deadline}};
    uint64_t seen = now;
    int error = fw_wait_begin_(&me.spin, policy, deadline);

    return error != 0 ? error : fw_owner_word_wait_(&how, &m->word, &seen, &me);
}

int fw_robust_trylock_(struct fw_posix_mutex_ *m)
{
    struct fw_robust_ r;
    uint32_t now = 0;
    int error;

    fw_robust_announce_as_(&r, &m->word, 0); /* PROB2 */
    error = attempt(m, r.id, 0, &now);
    fw_robust_withdraw_(&r);
    return error == FW_TYPE_WAITS ? EBUSY : error;
}

NOINLINE static int lock_slow(struct fw_posix_mutex_ *m, const fw_wait_policy *policy,
                              const fw_deadline *deadline)
{
    struct fw_robust_ r;
    uint32_t now = 0;
    int error;

    fw_robust_announce_as_(&r, &m->word, 0); /* PROB2  F:probust-unannounced-lock */
    error = attempt(m, r.id, 0, &now);
    if (error == FW_TYPE_WAITS)
        error = wait_for_it(m, r.id, now, policy, deadline);
    fw_robust_withdraw_(&r);
    return error;
}

/* It cannot be recovered: GONE.  The word is the caller's, and announced still. */
NOINLINE static int give_up(struct fw_posix_mutex_ *m, uint32_t depth, uintptr_t before)
{
    const struct fw_robust_ r = {.depth = depth, .before = before};
    int error = have(m, fw_robust_thread_.id, 0);

    fw_robust_withdraw_(&r);
    return error;
}

/* Calls nothing where the mutex is free and sound, as most calls find it: mutex.c says why. */
int fw_robust_lock_policy_(struct fw_posix_mutex_ *m, const fw_wait_policy *policy,
                           const fw_deadline *deadline)
{
    struct fw_robust_ r;
    uint32_t id = fw_robust_known_(), now = fw_load32_relaxed(&m->word);

    if (__builtin_expect(id == 0 || now != 0, 0))
        return lock_slow(m, policy, deadline);
    fw_robust_announce_known_(&r, &m->word, 0, id); /* PROB2  F:probust-unannounced-quick */
    if (!fw_cas32_acquire(&m->word, &now, id)) {    /* 0 -> id */
        fw_robust_withdraw_(&r);
        return lock_slow(m, policy, deadline);
    }
    if (__builtin_expect(fw_load32_relaxed(&m->owner) == FW_OWNER_GONE, 0))
        return give_up(m, r.depth, r.before);
    fw_type_sign_(m, id);
    fw_robust_enter_(&m->word, 0); /* F:probust-unlisted */
    fw_robust_withdraw_(&r);
    return 0;
}

int fw_robust_lock_(struct fw_posix_mutex_ *m, const fw_deadline *deadline)
{
    return fw_robust_lock_policy_(m, NULL, deadline);
}

NOINLINE static int unlock_slow(struct fw_posix_mutex_ *m)
{
    struct fw_robust_ r;
    bool is_sound;

    if (owner_of(fw_load32_relaxed(&m->word)) != fw_robust_self_())
        return EPERM;
    is_sound = fw_load32_relaxed(&m->owner) != FW_OWNER_INCONSISTENT;
    if (fw_type_is_recursive_(m) && --m->shared_count != 0)
        return is_sound ? 0 : ENOTRECOVERABLE;
    fw_robust_announce_as_(&r, &m->word, 0); /* PROB2  F:probust-leaves-first */
    fw_robust_leave_(&m->word);
    fw_type_clear_(m, is_sound ? 0 : FW_OWNER_GONE); /* F:probust-never-lost */
    put_back(m);                                     /* F:probust-withdraws-first */
    fw_robust_withdraw_(&r);
    return 0;
}

/* The word is free, and announced still. */
NOINLINE static int wake_one(struct fw_posix_mutex_ *m, uint32_t depth, uintptr_t before)
{
    const struct fw_robust_ r = {.depth = depth, .before = before};

    fw_futex_wake(&m->word, 1, FW_FUTEX_SHARED);
    fw_robust_withdraw_(&r);
    return 0;
}

/* The same for what most calls find: sound, by its owner, and nobody sleeps yet. */
int fw_robust_unlock_(struct fw_posix_mutex_ *m)
{
    struct fw_robust_ r;
    uint32_t id = fw_robust_known_();

    if (__builtin_expect(id == 0 || fw_load32_relaxed(&m->word) != id ||
                             fw_load32_relaxed(&m->owner) != id || fw_type_is_recursive_(m),
                         0))
        return unlock_slow(m);
    fw_robust_announce_known_(&r, &m->word, 0, id); /* PROB2  F:probust-leaves-quickly */
    fw_robust_leave_(&m->word);
    fw_type_clear_(m, 0);
    if (has_waiters(fw_xchg32_release(&m->word, 0))) /* id[|W] -> 0  F:probust-quick-no-wake */
        return wake_one(m, r.depth, r.before);
    fw_robust_withdraw_(&r);
    return 0;
}
