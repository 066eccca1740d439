/* SPDX-License-Identifier: MIT */
/*
 * fw_brlock.  Contract: furwock/brlock.h.  Reasons, proofs and figures: doc/design/brlock.md.
 *
 * Origin: the big-reader lock of Linux 2.4 (a lock word per CPU; a writer takes all of them), and
 * the reader side of its successor percpu-rwsem.  Counting inside a restartable sequence,
 * and closing all counters by one word and a fence, are ours.
 *
 * Readers count themselves in counters, one per CPU (if there are any: sys/percpu.h), and in
 * stripes, by an atomic instruction.  A lock with counters has one stripe, for what cannot be done
 * in a sequence, and for readers that come soon after a writer; a lock without has several, and a
 * thread always uses the same one.
 *
 * owner          meaning                      left by
 * -------------  ---------------------------  -----------------------------------------------------
 * 0              open: readers come and go    a thread that has the mutex: closes
 * SHARING        the same, by the stripe: so  a thread that has the mutex: closes, without a fence;
 *                do new locks begin           a reader inside, once ENOUGH have come: 0
 * id             closed by a writer           id: opens (SHARING; without counters: 0); a reader:
 *                                             adds SLEEPERS
 * id, SLEEPERS   closed, readers sleep here   id: opens, and wakes them all
 *
 * stripe         meaning                      left by
 * -------------  ---------------------------  -----------------------------------------------------
 * n              n readers more than have     a reader: +1, -1; a writer that has set the owner:
 *                left here                    CLOSED, + what the counters had
 * n, CLOSED      a writer waits until n is 0  a reader: -1, or +1 and -1 at once; the writer: opens
 *
 * Legal:   SLEEPERS set when nobody sleeps; n above the number of readers while a reader that must
 *          not enter backs out (it wakes the writer if that is asleep).
 * Illegal: to change a counter while the lock is closed, except for the owner after the fence; to
 *          back out of another stripe than the one that was tried; to sleep on the owner word
 *          without SLEEPERS.
 *
 * BR1  The owner and CLOSED are set and cleared only by the holder of the mutex: in the order
 *      owner, counters, CLOSED, and cleared in the order CLOSED, owner.  A reader adds SLEEPERS, or
 *      changes SHARING to 0.
 * BR2  After the owner was set and the fence has returned, no reader changes a counter until the
 *      owner is 0 again.
 * BR3  Modulo 2^31, counters and stripes together count the readers inside and those that tried and
 *      will back out; without counters, each stripe does so for the threads that use it.
 * BR4  So if all counters are 0 and closed, and each stripe is 0 and CLOSED, nobody reads; and
 *      nobody will until CLOSED is cleared.
 * BR5  After the instruction that admits others, a release does not touch the lock's memory (a wake
 *      uses the address only) or holds the mutex, which destroy takes.
 * BR6  A reader that waits is counted in `kept` until it is inside or gives up, and the owner is
 *      not set before `kept` was 0 with the lock open: so at most one writer keeps it out.
 * BR7  While the owner is SHARING, or an id that has taken its place, all counters are 0, and no
 *      reader changes one: the owner has not been 0 since the last fence (BR2).
 */
#include <errno.h>

#include <furwock/brlock.h>
#include <furwock/futex.h>
#include <furwock/mutex.h>

#include "core/attributes.h"
#include "core/wait.h"
#include "sys/back_off.h"
#include "sys/panic.h"
#include "sys/percpu.h"
#include "thread/brlock_lines.h"

/* n -> n - 1; n, CLOSED -> n - 1, CLOSED, and the last one wakes the writer (BR5). */
static void leave_stripe(const fw_brlock *l, uint32_t *stripe)
{
    bool exact = !has_counters(l);
    uint32_t seen = fw_add32_release(stripe, -BRLOCK_READER);

    if (was_last(seen))
        fw_futex_wake(stripe, 1, FW_FUTEX_PRIVATE);
    else if (!has_readers(seen) && (exact || (seen & BRLOCK_CLOSED) != 0))
        fw_panic_("read lock released that nobody holds", l, fw_self_(), 0);
}

/*
 * n -> n + 1; n, CLOSED -> n + 1, CLOSED -> n, CLOSED.  The load before it spares the writer a miss
 * of the cache line, and this reader a needless wake.
 */
static bool enter_stripe(fw_brlock *l)
{
    uint32_t *stripe = stripe_of_self(l);

    if ((fw_load32_relaxed(stripe) & BRLOCK_CLOSED) != 0)
        return false;
    if ((fw_add32_acquire(stripe, BRLOCK_READER) & BRLOCK_CLOSED) == 0)
        return true;
    leave_stripe(l, stripe);
    return false;
}

/*
 * A reader is inside that has found SHARING.  The count may miss some.  SHARING -> 0: whoever finds
 * that acquires what this reader has (fw_percpu_add_).
 */
static void note_reader(fw_brlock *l)
{
    uint32_t *readers = &l->lines_->stripe[0].readers;
    uint32_t n = fw_load32_relaxed(readers) + 1, seen = BRLOCK_SHARING;

    fw_store32_relaxed(readers, n);
    if (n >= BRLOCK_ENOUGH)
        fw_cas32_release(&l->owner_, &seen, 0);
}

/* False if the lock is closed.  With counters, but not by them. */
static bool enter_sharing(fw_brlock *l)
{
    uint32_t owner = fw_load32_relaxed(&l->owner_);

    if (brlock_is_closed(owner) || !enter_stripe(l))
        return false;
    if (owner == BRLOCK_SHARING)
        note_reader(l);
    return true;
}

/* False if the lock is closed. */
static inline bool enter(fw_brlock *l)
{
    if (!has_counters(l))
        return enter_stripe(l);
    return fw_percpu_add_(&l->owner_, counters_of(l), l->counters_, 1) || enter_sharing(l);
}

/* id -> id, SLEEPERS; then sleeps until the writer opens the lock. */
static int sleep_until_open(fw_brlock *l, struct fw_wait_ *w, uint32_t owner)
{
    uint32_t wanted = owner | BRLOCK_SLEEPERS;

    while (owner != wanted && !fw_cas32_relaxed(&l->owner_, &owner, wanted)) {
        if (!brlock_is_closed(owner))
            return -EAGAIN;
        wanted = owner | BRLOCK_SLEEPERS;
    }
    return fw_wait_sleep_(w, &l->owner_, wanted, FW_FUTEX_ANY_BIT, 0);
}

/* Returns 0 when the reader is inside, or ETIMEDOUT. */
static int wait_until_open(fw_brlock *l, struct fw_wait_ *w)
{
    for (;;) {
        uint32_t owner = fw_load32_relaxed(&l->owner_);
        int error;

        if (!brlock_is_closed(owner) && enter(l))
            return 0;
        if (!brlock_is_closed(owner))
            continue; /* it closed just now, before this reader was seen to wait */
        if (fw_wait_spin_(w))
            continue;
        error = sleep_until_open(l, w, owner);
        if (error == -ETIMEDOUT)
            return enter(l) ? 0 : ETIMEDOUT;
        if (error != -EAGAIN)
            fw_wait_again_(w);
    }
}

COLD static int rdlock_slow(fw_brlock *l, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    struct fw_wait_ w;
    uint32_t owner = fw_load32_relaxed(&l->owner_);
    int error;

    if (brlock_owner_of(owner) == fw_self_())
        fw_panic_("read lock asked for by the writer", l, fw_self_(), brlock_owner_of(owner));
    error = fw_wait_begin_(&w, policy, deadline);
    if (error != 0)
        return error;
    if (fw_wait_is_over_(&w))
        return ETIMEDOUT;
    fw_add32_relaxed(&l->lines_->kept, BRLOCK_READER);
    error = wait_until_open(l, &w);
    if (was_last(fw_add32_release(&l->lines_->kept, -BRLOCK_READER)))
        fw_futex_wake(&l->lines_->kept, 1, FW_FUTEX_PRIVATE);
    return error;
}

int fw_brlock_tryrdlock(fw_brlock *l)
{
    return enter(l) ? 0 : EBUSY;
}

void fw_brlock_rdlock(fw_brlock *l)
{
    if (__builtin_expect(!enter(l), 0))
        rdlock_slow(l, NULL, NULL); /* cannot fail: no deadline, and the default policy is valid */
}

int fw_brlock_timedrdlock(fw_brlock *l, const fw_deadline *deadline)
{
    return fw_brlock_rdlock_policy(l, NULL, deadline);
}

int fw_brlock_rdlock_policy(fw_brlock *l, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    return __builtin_expect(enter(l), 1) ? 0 : rdlock_slow(l, policy, deadline);
}

void fw_brlock_rdunlock(fw_brlock *l)
{
    if (has_counters(l) &&
        __builtin_expect(fw_percpu_add_(&l->owner_, counters_of(l), l->counters_, -UINT32_C(1)), 1))
        return;
    leave_stripe(l, stripe_of_self(l));
}

/* With counters: sends readers to the stripe, and returns how many are inside (BR2). */
static uint32_t close_counters(fw_brlock *l)
{
    uint32_t readers = 0;
    int error;

    while ((error = fw_percpu_fence_()) == -ENOMEM)
        fw_back_off_();
    if (error != 0)
        fw_panic_errno_("big-reader lock: membarrier is refused", -error);
    for (uint32_t i = 0; i < l->counters_; i++) {
        uint32_t *counter = counter_at(l, i);
        uint32_t n = fw_load32_relaxed(counter);

        readers += n;
        if (n != 0)
            fw_store32_relaxed(counter, 0);
    }
    return readers;
}

/*
 * 0, SHARING -> id; then n -> n + what the counters had, CLOSED.  The caller holds the mutex.
 * Without a fence readers meet the writer in the stripe only, as where there are no counters.
 */
static void close_to_readers(fw_brlock *l)
{
    uint32_t before = fw_xchg32_acquire(&l->owner_, fw_self_()), readers = 0;

    if (before != sharing(l)) /* there are counters, and they have been used since: BR7 */
        readers = close_counters(l);
    for (uint32_t i = 0; i < l->lines_->stripes; i++) {
        fw_add32_acq_rel(&l->lines_->stripe[i].word, readers * BRLOCK_READER + BRLOCK_CLOSED);
        readers = 0;
    }
}

/* n, CLOSED -> n; then id -> SHARING, or 0, and wakes those who sleep there. */
static void open_to_readers(fw_brlock *l)
{
    fw_store32_relaxed(&l->lines_->stripe[0].readers, 0);
    for (uint32_t i = 0; i < l->lines_->stripes; i++)
        fw_add32_release(&l->lines_->stripe[i].word, -BRLOCK_CLOSED);
    if ((fw_xchg32_release(&l->owner_, sharing(l)) & BRLOCK_SLEEPERS) != 0)
        fw_futex_wake(&l->owner_, FW_FUTEX_ALL, FW_FUTEX_PRIVATE);
}

/* Waits until nobody is counted in a word that is CLOSED, or the deadline has passed. */
static int await_none(const uint32_t *word, const fw_wait_policy *policy,
                      const fw_deadline *deadline)
{
    struct fw_wait_ w;
    uint32_t seen;
    int error;

    if (!has_readers(fw_load32_acquire(word)))
        return 0;
    error = fw_wait_begin_(&w, policy, deadline);
    if (error != 0)
        return error;
    while (has_readers(seen = fw_load32_acquire(word))) {
        if (fw_wait_spin_(&w))
            continue;
        error = fw_wait_sleep_(&w, word, seen, FW_FUTEX_ANY_BIT, 0);
        if (error == -ETIMEDOUT)
            return has_readers(fw_load32_acquire(word)) ? ETIMEDOUT : 0;
        if (error != -EAGAIN)
            fw_wait_again_(&w);
    }
    return 0;
}

/* Admits readers that the last writer kept out (BR6).  The caller holds the mutex; it is open. */
static int await_kept(fw_brlock *l, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    uint32_t *kept = &l->lines_->kept;
    int error;

    if (!has_readers(fw_load32_relaxed(kept)))
        return 0;
    fw_add32_relaxed(kept, BRLOCK_CLOSED);
    error = await_none(kept, policy, deadline);
    fw_add32_relaxed(kept, -BRLOCK_CLOSED);
    return error;
}

/* Waits for the readers inside (BR4).  All counters are 0. */
static int await_readers(fw_brlock *l, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    int error = 0;

    for (uint32_t i = 0; i < l->lines_->stripes && error == 0; i++)
        error = await_none(&l->lines_->stripe[i].word, policy, deadline);
    return error;
}

static void let_go(fw_brlock *l)
{
    open_to_readers(l);
    fw_mutex_unlock(&l->lines_->writers);
}

int fw_brlock_trywrlock(fw_brlock *l)
{
    if (brlock_is_closed(fw_load32_relaxed(&l->owner_)) || brlock_is_read(l))
        return EBUSY;
    if (fw_mutex_trylock(&l->lines_->writers) != 0)
        return EBUSY;
    if (has_readers(fw_load32_relaxed(&l->lines_->kept))) {
        fw_mutex_unlock(&l->lines_->writers);
        return EBUSY;
    }
    close_to_readers(l);
    if (!brlock_is_read(l))
        return 0;
    let_go(l);
    return EBUSY;
}

void fw_brlock_wrlock(fw_brlock *l)
{
    (void)!fw_brlock_wrlock_policy(l, NULL, NULL);
}

int fw_brlock_timedwrlock(fw_brlock *l, const fw_deadline *deadline)
{
    return fw_brlock_wrlock_policy(l, NULL, deadline);
}

int fw_brlock_wrlock_policy(fw_brlock *l, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    uint32_t owner = fw_load32_relaxed(&l->owner_);
    int error;

    if (brlock_owner_of(owner) == fw_self_())
        fw_panic_("write lock asked for again by its owner", l, fw_self_(), brlock_owner_of(owner));
    error = fw_mutex_lock_policy(&l->lines_->writers, policy, deadline);
    if (error != 0)
        return error;
    error = await_kept(l, policy, deadline);
    if (error == 0) {
        close_to_readers(l);
        error = await_readers(l, policy, deadline);
        if (error != 0)
            open_to_readers(l);
    }
    if (error != 0)
        fw_mutex_unlock(&l->lines_->writers);
    return error;
}

void fw_brlock_wrunlock(fw_brlock *l)
{
    uint32_t owner = fw_load32_relaxed(&l->owner_);

    if (brlock_owner_of(owner) != fw_self_())
        fw_panic_("write lock released by a thread that does not own it", l, fw_self_(),
                  brlock_owner_of(owner));
    let_go(l);
}

pid_t fw_brlock_owner(const fw_brlock *l)
{
    return fw_id_number_(fw_load32_relaxed(&l->owner_));
}
