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
 *   PROB1  Exclusion: a word that names a living thread is changed by nobody else, but for W.
 *   PROB2  The word is announced to the kernel before it can become the caller's, and until it is
 *          in the thread's list or cannot be the caller's any more.  So no death goes unnoticed.
 *   PROB3  Who takes DIED makes the mutex INCONSISTENT before anything else; dying before that, it
 *          leaves DIED again.  So nobody gets it with EOWNERDEAD unsaid.
 *   PROB4  Who sleeps has seen W; who has slept takes the word with W: others may sleep still.
 *   PROB5  Who sleeps looks again after a nap.  One who was woken and dies lets the kernel wake
 *          another; but not where a third has the word already, without W.  That costs a nap.
 *
 *   Legal: W without sleepers (one needless wake).
 *   Illegal: to leave GONE, but by initialising the mutex anew.
 */
#include "mutex_robust.h"

#include <errno.h>
#include <stddef.h>

#include <furwock/futex.h>

#include "core/recheck.h"
#include "core/wait.h"
#include "mutex_type.h"
#include "sys/clock.h"
#include "sys/panic.h"
#include "sys/robust.h"

/* Of PROB5.  Loss takes two deaths or unlikely timing, so this only has to be finite. */
#define RECHECK_NS UINT64_C(1000000000)

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
    fw_robust_enter_(&m->word, 0);            /* F:probust-unlisted */
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

/* Sleeps for a nap at most: 0, ETIMEDOUT. */
static int sleep_once(struct fw_posix_mutex_ *m, uint32_t seen, uint64_t *recheck_ns,
                      const fw_deadline *deadline)
{
    fw_deadline end = fw_deadline_recheck_(deadline, *recheck_ns);
    int error = fw_futex_wait(&m->word, seen, FW_FUTEX_SHARED, &end); /* F:probust-no-nap */

    *recheck_ns = fw_recheck_after_(*recheck_ns, error, deadline);
    if (error != 0 && error != -EAGAIN && error != -EINTR && error != -ETIMEDOUT)
        fw_panic_errno_("futex wait", -error);
    if (error == 0)
        fw_running_slept_();
    return error == -ETIMEDOUT && fw_deadline_is_over_(deadline) ? ETIMEDOUT : 0;
}

static int wait_for_it(struct fw_posix_mutex_ *m, uint32_t id, uint32_t now,
                       const fw_wait_policy *policy, const fw_deadline *deadline)
{
    struct fw_wait_ w;
    uint32_t extra = 0;
    uint64_t recheck_ns = RECHECK_NS;
    int error = fw_wait_begin_(&w, policy, deadline);

    if (error != 0)
        return error;
    while ((error = attempt(m, id, extra, &now)) == FW_TYPE_WAITS) {
        if (fw_wait_spin_knowing_(&w, fw_running_in_(owner_of(now), 0))) {
            now = fw_load32_relaxed(&m->word);
            continue;
        }
        if (!has_waiters(now)) { /* id -> id|W: PROB4 */
            if (!fw_cas32_relaxed(&m->word, &now, now | FW_ROBUST_WAITERS))
                continue;
            now |= FW_ROBUST_WAITERS;
        }
        extra = FW_ROBUST_WAITERS; /* F:probust-forgets */
        if (sleep_once(m, now, &recheck_ns, deadline) == ETIMEDOUT)
            return ETIMEDOUT;
        now = fw_load32_relaxed(&m->word);
        fw_wait_again_(&w);
    }
    return error;
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

int fw_robust_lock_policy_(struct fw_posix_mutex_ *m, const fw_wait_policy *policy,
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

int fw_robust_lock_(struct fw_posix_mutex_ *m, const fw_deadline *deadline)
{
    return fw_robust_lock_policy_(m, NULL, deadline);
}

int fw_robust_unlock_(struct fw_posix_mutex_ *m)
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
