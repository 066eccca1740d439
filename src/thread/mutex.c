/* SPDX-License-Identifier: MIT */
/*
 * fw_mutex.  Contract: furwock/mutex.h.  Bits: mutex_word.h.  Reasons, proofs and figures:
 * doc/design/mutex.md.  What QUEUED in the word means, and does: mutex_queue.c.
 *
 * Origin: the lock in a word and the greedy and fair releases are those of Franke, Russell and
 * Kirkwood (OLS 2002, sections 3 and 3.1.4).  The plain release is ours.
 *
 * owner   waiters           meaning                           left by
 * ------  ----------------  --------------------------------  -------------------------------------
 * 0       0                 free, quiet                       any thread: take (byte exchange)
 * 1       any               taken, id not yet published       the taker: stores its id
 * id      0                 held, quiet                       owner: plain release; waiter: joins
 * id      no waiters        held, recently contended          owner: CAS to free, at times to quiet
 * id      waiters, !WAKING  held, no waiter is awake          owner: frees, sets WAKING, wakes one
 * id      waiters, WAKING   held, a waiter is awake           owner: frees, wakes nobody
 * id      ..., WAKING RETRY held, a waiter vouches (MU6)      the same; other waiters: sleep
 * id      waiters, STARVING held, a waiter has lost for long  owner: hands off instead of freeing
 * 0       waiters, WAKING   free, a waiter is awake           any thread: take; waiter: CAS
 * HANDOFF waiters, WAKING   being handed to a waiter          a waiter that had joined before
 *
 * A waiter joins (+1), and leaves (-1) when it takes the lock or gives up.
 *
 * Legal:   WAKING clear while a waiter is awake (one needless wake); RETRY, STARVING, LATE or
 *          URGENT set when no waiter is left that needs it; STARVING clear while a waiter starves
 *          (it sets the flag again).
 * Illegal: to sleep on the waiters half, for longer than RECHECK_NS, with an expected value in
 *          which WAKING is set and RETRY is not, or FENCED is not; to set WAKING and leave RETRY
 *          set, except by a waiter that then sleeps for RECHECK_NS at most; to set WAKING in a
 *          release and wake nobody while somebody sleeps there; to clear WAKING during a hand-off.
 *
 * MU1  The plain release stores only if the waiters half is 0; so, once a waiter has joined and the
 *      fence has returned, every release of this lock is a CAS on the whole word, and sees the
 *      waiter.
 * MU2  WAKING set implies that a waiter is awake, about to be woken, or asleep for RECHECK_NS at
 *      most; and that it will, before it sleeps for longer or leaves, clear WAKING or take the
 *      lock.
 * MU3  HANDOFF implies a waiter that joined before the hand-off and will claim it: it stays, even
 *      if it has timed out.
 * MU4  After the instruction that frees the lock or hands it off, the releaser does not touch its
 *      memory (the wake that may follow uses the address only).
 * MU5  URGENT is clear while a real-time thread sleeps only if another, as urgent, was woken
 *      instead, and has yet to take the lock, give up or sleep again: it sets URGENT then.
 * MU6  WAKING and RETRY together are set by a waiter that sleeps for RECHECK_NS at most, and by
 *      nobody else; it clears WAKING before it leaves or sleeps for longer.  So where a word has
 *      both, there is such a waiter, whatever has happened since it was read: others may sleep on
 *      that value for good, and leave both set when they take the lock.
 */
#include <errno.h>
#include <stddef.h>

/* This file has the linkable copy of the inline functions. */
#define FW_INLINE FW_API

#include <furwock/futex.h>
#include <furwock/mutex.h>

#include "core/attributes.h"
#include "core/recheck.h"
#include "core/thread_state.h"
#include "core/tracepoint.h"
#include "core/wait.h"
#include "sys/clock.h"
#include "sys/fork.h"
#include "sys/release.h"
#include "sys/schedule.h"
#include "sys/slice.h"
#include "sys/thread.h"
#include "thread/mode.h"
#include "thread/mutex_misuse.h"
#include "thread/mutex_posix.h"
#include "thread/mutex_queue.h"
#include "thread/mutex_release.h"
#include "thread/mutex_requeue.h"
#include "thread/mutex_word.h"

/* A waiter that has lost this many races in a row sleeps for RECHECK_NS: doc/design/mutex.md. */
#define RACES_BEFORE_RECHECK 3u
#define RECHECK_NS FW_RECHECK_RACES_NS

/*
 * A waiter that spins, and sees the lock pass to more owners than this, sleeps: with short sections
 * many spin, and keep the cache line from the owner.  doc/design/mutex.md, "How many spin".
 */
#define TURNS_WHILE_SPINNING 4u

/* A thread in the slow path of lock: it lives on that thread's stack. */
struct waiter {
    fw_mutex *m;
    uint32_t id;
    uint32_t handoff_at_join; /* the hand-off (owner half) under way when it joined, or 0 */
    bool is_urgent;   /* a real-time thread: takes any hand-off, never sleeps on the retry queue */
    bool is_retrying; /* it set RETRY when it last slept */
    bool starves;
    uint32_t wakes;    /* meant for it: after each it lost the race; see RACES_BEFORE_RECHECK */
    uint32_t refusals; /* of the kernel to let it sleep: the word had changed; a lost race, too */
    uint64_t woken_at;
    struct fw_wait_ wait;
    uint32_t last_owner, turns; /* while it spins: the owner seen last, and how many */
};

static bool has_raced(const struct waiter *me)
{
    return me->wakes + me->refusals != 0;
}

/* Does it sleep in the retry queue? */
static bool is_on_retry_queue(const struct waiter *me)
{
    return has_raced(me) && !me->is_urgent;
}

/* A thread takes the lock over and over: a wake at each release is expensive, and gains nothing. */
static bool may_recheck(const struct waiter *me)
{
    return me->wakes + me->refusals >= RACES_BEFORE_RECHECK && !me->starves && !me->is_urgent;
}

/* May this waiter sleep with WAKING set, because another one vouches? */
static bool may_rely(const struct waiter *me, fw_mutex_word_ w)
{
    return is_vouched_for(w) && !has_raced(me); /* F:trusts-waking */
}

/* May this waiter take the lock in state w?  A hand-off is for waiters that joined before it. */
static bool may_take(const struct waiter *me, fw_mutex_word_ w)
{
    return is_free(w) ||
           (is_being_handed_off(w) && owner_half(w) != me->handoff_at_join); /* F:late-claims */
}

/* One waiter less; if it was urgent, those that remain may be urgent as well (MU5). */
static fw_mutex_word_ without(const struct waiter *me, fw_mutex_word_ w)
{
    w -= MUTEX_WAITER;
    return me->is_urgent && has_waiters(w) ? w | MUTEX_URGENT : w;
}

/* free or HANDOFF, waiters -> id, waiters - 1, !WAKING. */
static bool take_as_waiter(struct waiter *me, fw_mutex_word_ w)
{
    fw_mutex_word_ mine = MUTEX_WAKING | (has_raced(me) ? MUTEX_RETRY | MUTEX_STARVING : 0) |
                          (is_being_handed_off(w) ? MUTEX_LATE : 0); /* F:keeps-waking */
    bool late = is_being_handed_off(w) && has_late_sleepers(w);

    /* F:leaves-vouching */
    if (is_vouched_for(w) && !me->is_retrying && !is_being_handed_off(w))
        mine = 0; /* another waiter vouches, and goes on */

    /* F:never-leaves */
    if (!fw_cas64_acquire(&me->m->state_, &w, without(me, with_owner(w, me->id) & ~mine)))
        return false;
    if (is_being_handed_off(w))
        FW_TRACEPOINT_(mutex_handoff, me->m);
    /* F:no-requeue */
    if (late) /* they joined, but sleep on the hand-off: requeue them to the others */
        fw_futex_requeue(owner_of(me->m), 0, waiters_of(me->m), FW_FUTEX_ALL, FW_FUTEX_PRIVATE);
    return true;
}

/* held, n waiters -> held, n - 1 waiters.  A hand-off must not be disturbed: its WAKING stays. */
static bool give_up(struct waiter *me, fw_mutex_word_ w)
{
    fw_mutex_word_ mine = /* F:keeps-baton */
        (has_raced(me) ? MUTEX_RETRY | MUTEX_STARVING : 0) |
        (is_being_handed_off(w) ? 0 : MUTEX_WAKING);

    return fw_cas64_relaxed(&me->m->state_, &w, without(me, w & ~mine)); /* F:gives-up-twice */
}

/* held, !FENCED -> held, FENCED, once no plain release can overlook the waiters any more (MU1). */
static bool fence(struct waiter *me, fw_mutex_word_ w)
{
    if (fw_release_fence_() != 0)
        return false;
    while (!is_fenced(w) && !fw_cas64_relaxed(&me->m->state_, &w, w | MUTEX_FENCED))
        ; /* others joined or left; as this waiter stayed, the fence still holds */
    return true;
}

/*
 * Sleeps until the hand-off during which this waiter joined is claimed.  The claimant requeues it
 * to the other queue.  It must not sleep there at once: WAKING is set, and must stay.
 */
static int sleep_through_handoff(struct waiter *me, fw_mutex_word_ w)
{
    /* F:no-late-flag */
    if (!has_late_sleepers(w) && !fw_cas64_relaxed(&me->m->state_, &w, w | MUTEX_LATE))
        return -EAGAIN;
    return fw_wait_sleep_(&me->wait, owner_of(me->m), me->handoff_at_join, MUTEX_CLASS_ANY, 0);
}

/*
 * The retry queue is for one waiter: its starvation time runs, and it may sleep for a bounded time.
 * A waiter that finds it taken goes back to the others, as if it had not been woken.
 */
static void join_retry_queue(struct waiter *me, fw_mutex_word_ w)
{
    if (has_retrying_sleeper(w) && !me->is_retrying) {
        me->wakes = 0;
        me->refusals = 0;
        me->starves = false;
    } else {
        me->is_retrying = true;
    }
}

/* Is this waiter still the one of which RETRY speaks? */
static void check_retrying(struct waiter *me)
{
    if (!has_retrying_sleeper(fw_load64_relaxed(&me->m->state_)))
        me->is_retrying = false;
}

/* After a wake: this waiter has raced for the lock; after FW_STARVATION_NS it wants a hand-off. */
static void note_wake(struct waiter *me)
{
    uint64_t now = fw_clock_ns_();

    if (me->wakes == 0)
        me->woken_at = now;
    if (me->wakes < RACES_BEFORE_RECHECK)
        me->wakes++;
    me->starves = now - me->woken_at >= FW_STARVATION_NS;
    check_retrying(me);
}

/* After a sleep that the kernel refused.  FW_STARVATION_NS counts from the first wake. */
static void note_refusal(struct waiter *me)
{
    if (me->refusals < RACES_BEFORE_RECHECK)
        me->refusals++;
    check_retrying(me);
}

/*
 * held -> held, !WAKING, and sleeps; or held -> held, WAKING, RETRY, and sleeps for RECHECK_NS
 * (MU2); or sleeps where another waiter does that (MU6).
 */
static int sleep_in_queue(struct waiter *me, fw_mutex_word_ w, uint64_t slice_ns)
{
    fw_mutex_word_ wanted = w & ~MUTEX_WAKING; /* F:sleeps-with-waking */
    int error;

    if (is_on_retry_queue(me))
        join_retry_queue(me, w);
    if (may_recheck(me)) {
        wanted = w | MUTEX_WAKING;
        slice_ns = RECHECK_NS; /* F:no-recheck */
    } else if (may_rely(me, w)) {
        wanted = w;
    }
    wanted |= (is_on_retry_queue(me) ? MUTEX_RETRY : 0) |
              (me->is_urgent ? MUTEX_URGENT : 0); /* F:urgent-unsaid */
    if (me->starves)
        wanted |= MUTEX_STARVING;
    if (wanted != w && !fw_cas64_relaxed(&me->m->state_, &w, wanted))
        return -EAGAIN;
    error = fw_wait_sleep_(&me->wait, waiters_of(me->m), waiters_half(wanted), /* F:stale-value */
                           is_on_retry_queue(me) ? MUTEX_CLASS_RETRY : MUTEX_CLASS_NEW, slice_ns);
    if (error == -EAGAIN)
        note_refusal(me);
    return error;
}

/* One sleep, or one step towards it. */
static int sleep_once(struct waiter *me, fw_mutex_word_ w)
{
    uint64_t slice_ns = 0;

    if (!fw_wait_blocks_(&me->wait)) {
        if (me->starves && !is_starving(w))
            fw_cas64_relaxed(&me->m->state_, &w, w | MUTEX_STARVING);
        return fw_wait_sleep_(&me->wait, waiters_of(me->m), 0, 0, 0);
    }
    if (!is_fenced(w)) { /* F:skips-fence */
        if (fence(me, w))
            return -EAGAIN;
        slice_ns = FW_RECHECK_UNFENCED_NS; /* F:sleeps-unfenced */
    }
    if (is_being_handed_off(w))
        return sleep_through_handoff(me, w);
    return sleep_in_queue(me, w, slice_ns);
}

/* Does the lock go round among others?  (No, if it is known whether the owner runs.) */
static bool sees_turns(struct waiter *me, uint32_t owner)
{
    if (owner == 0) /* the word says no more than that it is taken */
        return false;
    if (owner != me->last_owner) {
        me->last_owner = owner;
        me->turns++;
    }
    return me->wait.kind == FW_WAIT_ADAPTIVE && me->turns > TURNS_WHILE_SPINNING &&
           fw_running_(owner) == FW_RUNNING_UNKNOWN;
}

/* Spins once, where that may pay. */
static bool spins_on(struct waiter *me, fw_mutex_word_ w)
{
    uint32_t owner = holder_of(w);

    return !sees_turns(me, owner) && fw_wait_spin_on_(&me->wait, owner);
}

static void spin_again(struct waiter *me)
{
    fw_wait_again_(&me->wait);
    me->turns = me->last_owner = 0;
}

/* Waits, as a waiter that has joined, until the lock is taken (0) or the deadline (ETIMEDOUT). */
static int wait_in_queue(struct waiter *me)
{
    bool over = false;

    FW_TRACEPOINT_(mutex_wait, me->m);
    for (;;) {
        fw_mutex_word_ w = fw_load64_relaxed(&me->m->state_);
        int error;

        if (owner_half(w) != me->handoff_at_join)
            me->handoff_at_join = 0;
        if (may_take(me, w)) { /* F:ignores-pass */
            if (take_as_waiter(me, w))
                return 0;
            continue;
        }
        if (over) {
            if (give_up(me, w))
                return ETIMEDOUT;
            continue;
        }
        if (spins_on(me, w))
            continue;
        error = sleep_once(me, w);
        over = error == -ETIMEDOUT;
        if (error == 0)
            note_wake(me);
        if (error == 0 || error == -EINTR)
            spin_again(me);
    }
}

/*
 * Held, n waiters -> held, n + 1 waiters; false where it is free meanwhile.  Where others come
 * first, it tries again at once, while it has the cache line; otherwise, of many that join, one
 * does in the time in which all of them try once.
 */
static bool join(struct waiter *me, fw_mutex_word_ w)
{
    fw_mutex_word_ joined;

    do {
        /* F:joins-idle-only */
        joined = without_stale(w, fw_fork_generation_()) + MUTEX_WAITER;
        if (fw_cas64_relaxed(&me->m->state_, &w, joined)) {
            me->is_urgent = fw_urgency_() != 0; /* it is about to sleep */
            me->handoff_at_join = is_being_handed_off(w) && !me->is_urgent ? owner_half(w) : 0;
            return true;
        }
    } while (!is_free(w));
    return false;
}

/* Spins as long as the policy has budget, then joins.  True: the lock was taken meanwhile. */
static bool take_or_join(struct waiter *me)
{
    fw_mutex_word_ w = look_at(me->m);

    for (;;) {
        if (is_free(w)) {
            if (fw_mutex_take_(me->m))
                return true;
        } else if (!spins_on(me, w) && join(me, w)) {
            return false;
        }
        w = look_at(me->m);
    }
}

COLD static int lock_slow(fw_mutex *m, const fw_wait_policy *policy, const fw_deadline *deadline,
                          enum fw_mode_ mode)
{
    struct waiter me = {.m = m, .id = fw_self_()};
    int error;

    if (mode == FW_MODE_CHECKED)
        refuse_owner(m, me.id);
    error = fw_wait_begin_(&me.wait, policy, deadline);
    if (error != 0)
        return error;
    if (fw_wait_is_over_(&me.wait))
        return ETIMEDOUT;
    if (!take_or_join(&me)) {
        fw_is_overdue_(m, false); /* a thread that sleeps does not keep others from running */
        error = wait_in_queue(&me);
    }
    if (error == 0)
        fw_slice_ask_(m);
    return error;
}

void fw_mutex_lock_registered_(fw_mutex *m)
{
    struct waiter me = {.m = m, .id = fw_self_(), .is_urgent = fw_urgency_known_() != 0};

    fw_wait_begin_(&me.wait, NULL, NULL); /* cannot fail, as in fw_mutex_lock_slow_ */
    note_wake(&me);
    wait_in_queue(&me);
}

COLD static void unlock_slow_as(fw_mutex *m, uint32_t id, bool fair, enum fw_mode_ mode)
{
    uint32_t generation = fw_fork_generation_();
    fw_mutex_word_ seen = fw_load64_relaxed(&m->state_);
    fw_mutex_word_ w;
    fw_mutex_word_ left;

    if (mode == FW_MODE_CHECKED) /* F:wakes-first */
        refuse_stranger(m, id);
    do {
        /* F:wakes-first-2 */
        if (is_free(seen) || is_being_handed_off(seen))
            return; /* only in POSIX mode */
        w = without_stale(seen, generation);
        if (has_queue(w)) { /* F:queued-unseen */
            fw_mutex_release_to_queue_(m, fair);
            return;
        }
        left = fw_mutex_left_(m, w, fair);
    } while (!fw_cas64_release(&m->state_, &seen, left));
    if (!wakes_nobody(w) || is_being_handed_off(left)) /* F:touches-after */
        fw_futex_wake_bitset(waiters_of(m), 1, class_to_wake(w), FW_FUTEX_PRIVATE);
    if (has_waiters(w)) /* F:forgets-late-wake */
        fw_wake_now_(m);
    fw_slice_done_(m);
}

COLD static void unlock_slow(fw_mutex *m, bool fair, enum fw_mode_ mode)
{
    unlock_slow_as(m, fw_self_(), fair, mode);
}

void fw_mutex_unlock_as_(fw_mutex *m, uint32_t id)
{
    unlock_slow_as(m, id, false, FW_MODE_CHECKED);
}

void fw_mutex_init(fw_mutex *m)
{
    fw_store64_relaxed(&m->state_, 0);
}

int fw_mutex_trylock(fw_mutex *m)
{
    /* Look first: an exchange that fails would still take the cache line away from the owner. */
    if (!is_free(look_at(m)))
        return EBUSY;
    return fw_mutex_take_(m) ? 0 : EBUSY;
}

COLD void fw_mutex_lock_slow_(fw_mutex *m)
{
    /* cannot fail: no deadline, and the default policy is valid */
    lock_slow(m, NULL, NULL, FW_MODE_CHECKED);
}

int fw_mutex_timedlock(fw_mutex *m, const fw_deadline *deadline)
{
    return fw_mutex_lock_policy(m, NULL, deadline);
}

int fw_mutex_lock_policy(fw_mutex *m, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    if (__builtin_expect(fw_mutex_take_(m), 1))
        return 0;
    return lock_slow(m, policy, deadline, FW_MODE_CHECKED);
}

int fw_mutex_lock_posix_(fw_mutex *m, const fw_deadline *deadline)
{
    return fw_mutex_take_(m) ? 0 : lock_slow(m, NULL, deadline, FW_MODE_POSIX);
}

static inline bool unlock_fast(fw_mutex *m)
{
    uint32_t id = fw_self_id_;

    return __builtin_expect(id != 0 && fw_release_plain_(&m->state_, id), 1);
}

void fw_mutex_unlock(fw_mutex *m)
{
    if (!unlock_fast(m))
        unlock_slow(m, false, FW_MODE_CHECKED);
}

void fw_mutex_unlock_fair(fw_mutex *m)
{
    if (!unlock_fast(m))
        unlock_slow(m, true, FW_MODE_CHECKED);
}

void fw_mutex_unlock_posix_(fw_mutex *m, bool fair)
{
    if (!fw_release_quiet_(&m->state_))
        unlock_slow(m, fair, FW_MODE_POSIX);
}

pid_t fw_mutex_owner(const fw_mutex *m)
{
    uint32_t owner = owner_half(fw_load64_relaxed(&m->state_));

    return (owner & MUTEX_HANDOFF) != 0 ? 0 : fw_id_number_(owner);
}
