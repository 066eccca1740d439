/* SPDX-License-Identifier: MIT */
/*
 * The wait queue of an fw_rwlock: enqueueing, spinning, sleeping, giving up.  States, legal and
 * illegal, invariants: rwlock.c.  Contract: rwlock_queue.h.
 *
 * state      meaning                                     who leaves it, and how
 * ---------  ------------------------------------------  ------------------------------------------
 * WAITING    spins, or is about to see that it should    itself: ASLEEP; any: GRANTED
 * ASLEEP     sleeps, or is about to; a wake is needed    any: WAITING (a writer is woken), AHEAD,
 *                                                        GRANTED
 * AHEAD      a writer that is woken ahead, and may not   itself, when it runs: WAITING; any: as
 *            have run since; a wake is needed            from ASLEEP
 * GRANTED    has the lock, and is no longer queued       nobody
 * ADMITTED   the same: a reader of a greedy lock that    nobody; it says that it runs
 *            slept, and is counted as coming
 *
 * All changes happen inside the bucket, but that from AHEAD to WAITING.  (So who hands it the lock
 * need not rely on another to wake it, who may have lost its CPU before that.)
 */
#include <errno.h>
#include <stddef.h>

#include <furwock/futex.h>

#include "core/recheck.h"
#include "core/thread_state.h"
#include "core/waitqueue.h"
#include "sys/clock.h"
#include "sys/cpu_count.h"
#include "sys/schedule.h"
#include "thread/rwlock_queue.h"
#include "thread/rwlock_word.h"

/* A writer that has lost this many races in a row sleeps for RECHECK_NS: as in the mutex. */
#define RACES_BEFORE_RECHECK 3u
#define RECHECK_NS FW_RECHECK_RACES_NS

/* What one waiter counts in the second word. */
static uint64_t queue_count_of(uint8_t want)
{
    return want == RW_WRITE ? QUEUE_WRITER : want == RW_UPGRADE ? QUEUE_UPGRADER : QUEUE_SHARER;
}

/* In a forked child the queue is empty, whatever the second word says. */
static struct fw_waitqueue_ *enter(fw_rwlock *l)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(l);

    if ((l->queue_ & ~QUEUE_KIND) != 0 && rw_first_in(bucket, l) == NULL)
        l->queue_ &= QUEUE_KIND | QUEUE_ALL_COMING; /* F:rw-sees-stale */
    return bucket;
}

static void leave(struct fw_waitqueue_ *bucket, const struct rw_wakes *wakes)
{
    fw_waitqueue_unlock_(bucket);
    if (wakes->one != NULL)
        fw_futex_wake((const uint32_t *)wakes->one, 1, FW_FUTEX_PRIVATE);
    if (wakes->pulse != NULL)
        fw_futex_wake_bitset(wakes->pulse, FW_FUTEX_ALL, wakes->bits, FW_FUTEX_PRIVATE);
    for (unsigned i = 0; i < wakes->n_ahead; i++)
        fw_futex_wake((const uint32_t *)wakes->ahead[i], 1, FW_FUTEX_PRIVATE);
    fw_wakeups_(&wakes->operations);
}

/* The same, and dispatches while there is more to do.  Without a queue the lock may be gone. */
static void leave_after(struct fw_waitqueue_ *bucket, fw_rwlock *l, struct rw_wakes *wakes)
{
    leave(bucket, wakes);
    while (wakes->again) {
        bucket = fw_waitqueue_lock_(l);
        if (rw_first_in(bucket, l) == NULL) {
            fw_waitqueue_unlock_(bucket);
            return;
        }
        fw_rw_dispatch_(bucket, l, RW_NOTHING, false, wakes);
        leave(bucket, wakes);
    }
}

/* In a greedy lock a release may find a designated waker, and WAKING not set. */
static bool is_greedy_and_waking(const fw_rwlock *l)
{
    return queue_kind(l->queue_) == FW_RWLOCK_GREEDY && queue_has_awake_writer(l->queue_);
}

void fw_rw_release_(fw_rwlock *l, enum rw_change change, bool hand_over)
{
    struct fw_waitqueue_ *bucket = enter(l);
    struct rw_wakes wakes;

    if (change == RW_WRITER_LEAVES && !hand_over)
        hand_over = fw_is_overdue_(l, is_greedy_and_waking(l));
    fw_rw_dispatch_(bucket, l, change, hand_over, &wakes);
    leave_after(bucket, l, &wakes);
}

/* A writer that finds the lock free takes it, even if others are queued.  free -> WRITER. */
static bool take(fw_rwlock *l, const struct rw_waiter *me)
{
    fw_rw_word_ w = fw_load64_relaxed(&l->state_);

    while (me->want == RW_WRITE && rw_is_free(w))
        if (fw_cas64_acquire(&l->state_, &w, rw_with_writer(w, me->id)))
            return true;
    return false;
}

/* Leaves the queue without the lock. */
static void dequeue(struct fw_waitqueue_ *bucket, fw_rwlock *l, struct rw_waiter *me,
                    struct rw_wakes *wakes)
{
    fw_waitqueue_remove_(bucket, &me->node); /* F:rw-stays */
    l->queue_ -= queue_count_of(me->want);
    if (me->is_designated) /* F:rw-keeps-baton */
        l->queue_ &= ~QUEUE_AWAKE;
    if (me->is_greedy && me->starves) /* F:rw-next-stays */
        l->queue_ &= ~QUEUE_NEXT;     /* if another is, a dispatch says so again */
    me->is_designated = false;
    fw_rw_dispatch_(bucket, l, RW_NOTHING, false, wakes); /* F:rw-keeps-door */
}

/*
 * RW9: a running writer that finds readers in a greedy lock, and none that is next, is the next.
 * The word may change, but not what is queued.
 */
static bool may_be_next(const struct rw_waiter *me, fw_rw_word_ w)
{
    return me->is_greedy && rw_is_shared(w) && (w & (RW_CLOSED | RW_COMING)) == 0;
}

static void be_next(struct fw_waitqueue_ *bucket, fw_rwlock *l, struct rw_waiter *me)
{
    fw_waitqueue_advance_(bucket, &me->node);
    l->queue_ |= QUEUE_NEXT;
    me->starves = true; /* F:rw-next-called */
    if (me->is_designated)
        l->queue_ &= ~QUEUE_AWAKE;
    me->is_designated = false;
}

/*
 * The waiters before it have given up spinning: so may this one, unless it may pass them.  A reader
 * may, as all that wait to read are admitted together, and mostly before those writers.
 */
static bool may_spin(const fw_rwlock *l, const struct rw_waiter *me)
{
    const struct rw_waiter *before = (const struct rw_waiter *)me->node.prev;
    fw_rwlock_kind kind = queue_kind(l->queue_);

    return me->node.is_first ||
           fw_load32_relaxed(&before->state) != RW_ASLEEP || /* the first one's is the last */
           kind == FW_RWLOCK_GREEDY ||
           (rw_shares(me) && kind != FW_RWLOCK_PREFER_WRITERS && fw_rw_has_cpus_(l->queue_));
}

/* RW10.  Whether it pays is seen where the thread spins ahead, and is not granted the lock. */
static bool may_be_ahead(const fw_rwlock *l, const struct rw_waiter *me)
{
    return me->want == RW_WRITE && queue_kind(l->queue_) == FW_RWLOCK_FAIR &&
           fw_rw_has_cpus_(l->queue_) && fw_spinning_pays_(FW_SPIN_AHEAD_);
}

static void note_ahead(struct rw_waiter *me, bool it_paid)
{
    if (!me->is_ahead)
        return;
    fw_spinning_ended_(FW_SPIN_AHEAD_, it_paid);
    me->is_ahead = false;
    me->may_be_ahead = it_paid;
}

/* An upgrader goes before all others. */
static int urgency_of(const struct rw_waiter *me, int urgency)
{
    return me->want == RW_UPGRADE ? FW_WAITQUEUE_FIRST_ : urgency;
}

/* Enqueues the caller.  True: the lock was taken instead. */
static bool step_in(fw_rwlock *l, struct rw_waiter *me)
{
    struct fw_waitqueue_ *bucket = enter(l);
    struct rw_wakes wakes;

    if (take(l, me)) {
        fw_waitqueue_unlock_(bucket);
        return true;
    }
    fw_waitqueue_insert_(bucket, &me->node, l, urgency_of(me, fw_urgency_known_()));
    me->is_greedy = me->want == RW_WRITE && queue_kind(l->queue_) == FW_RWLOCK_GREEDY;
    if (!queue_has_coming(l->queue_) && may_be_next(me, fw_load64_relaxed(&l->state_)))
        be_next(bucket, l, me);
    me->may_spin = may_spin(l, me);
    me->may_be_ahead = me->may_be_ahead && may_be_ahead(l, me);
    l->queue_ += queue_count_of(me->want);
    fw_rw_dispatch_(bucket, l, RW_NOTHING, false, &wakes);
    leave_after(bucket, l, &wakes);
    return false;
}

static bool is_granted(const struct rw_waiter *me)
{
    return fw_load32_acquire(&me->state) >= RW_GRANTED;
}

/* A queued writer, awake, has seen readers inside, and the lock open to more of them. */
static void close_to_readers(fw_rwlock *l, struct rw_waiter *me)
{
    struct fw_waitqueue_ *bucket = enter(l);
    struct rw_wakes wakes;

    if (is_granted(me) || !may_be_next(me, fw_load64_relaxed(&l->state_))) {
        fw_waitqueue_unlock_(bucket);
        return;
    }
    be_next(bucket, l, me);
    fw_rw_dispatch_(bucket, l, RW_NOTHING, false, &wakes); /* F:rw-next-unsaid */
    leave_after(bucket, l, &wakes);
}

bool fw_rw_enqueue_(fw_rwlock *l, enum rw_want want, fw_await *op)
{
    struct fw_waitqueue_ *bucket = enter(l);
    struct rw_waiter *me = (struct rw_waiter *)(void *)op;
    struct rw_wakes wakes;

    me->want = (uint8_t)want;
    if (take(l, me)) {
        fw_waitqueue_unlock_(bucket);
        return false;
    }
    fw_operation_enqueue_(bucket, op);
    l->queue_ += queue_count_of(me->want);
    fw_rw_dispatch_(bucket, l, RW_NOTHING, false, &wakes); /* F:rw-operation-unsaid */
    leave_after(bucket, l, &wakes);
    return true;
}

void fw_rw_dequeued_(struct fw_waitqueue_ *bucket, fw_await *op)
{
    fw_rwlock *l = (fw_rwlock *)(uintptr_t)op->object_;
    struct rw_wakes wakes;

    l->queue_ -= queue_count_of(op->want_);
    if (op->starves_) /* F:rw-next-cancels */
        l->queue_ &= ~QUEUE_NEXT;
    fw_rw_dispatch_(bucket, l, RW_NOTHING, false, &wakes);
    leave_after(bucket, l, &wakes);
}

/* It was woken with a grant, and runs: writers need not wait for it any longer (RW9). */
static void have_come(fw_rwlock *l)
{
    struct fw_waitqueue_ *bucket = enter(l);
    struct rw_wakes wakes;

    l->queue_ -= QUEUE_COMING; /* F:rw-coming-forever */
    if (queue_has_coming(l->queue_)) {
        fw_waitqueue_unlock_(bucket);
        return;
    }
    fw_rw_dispatch_(bucket, l, RW_NOTHING, false, &wakes);
    leave_after(bucket, l, &wakes);
}

/* The writer was woken, and lost the race.  Returns how long it may sleep; 0: without a bound. */
static uint64_t note_race(struct rw_waiter *me)
{
    uint64_t now = fw_clock_ns_();

    if (me->woken_at == 0)
        me->woken_at = now;
    if (me->races < RACES_BEFORE_RECHECK)
        me->races++;
    me->starves |= now - me->woken_at >= FW_STARVATION_NS;
    return me->races == RACES_BEFORE_RECHECK && !me->starves ? RECHECK_NS : 0;
}

/* One sleep; or none, if a last look in the bucket shows that something is due (RW3). */
static int sleep_in_queue(fw_rwlock *l, struct rw_waiter *me, struct fw_wait_ *wait)
{
    int urgency = urgency_of(me, fw_wait_blocks_(wait) ? fw_urgency_() : fw_urgency_known_());
    struct fw_waitqueue_ *bucket = enter(l);
    uint32_t pulse = bucket->pulse;
    uint64_t recheck_ns = 0;
    struct rw_wakes wakes;

    if (is_granted(me)) {
        fw_waitqueue_unlock_(bucket);
        return 0;
    }
    if (urgency != me->node.urgency) /* F:rw-line-stale */
        fw_waitqueue_reorder_(bucket, &me->node, urgency);
    note_ahead(me, false);
    if (me->is_designated) {
        recheck_ns = note_race(me);
        if (recheck_ns == 0) {
            me->is_designated = false; /* F:rw-keeps-coming */
            l->queue_ &= ~QUEUE_AWAKE;
        }
    }
    if (fw_wait_blocks_(wait))
        fw_store32_relaxed(&me->state, RW_ASLEEP);
    fw_rw_dispatch_(bucket, l, RW_NOTHING, false, &wakes); /* F:rw-sleeps-blind */
    leave_after(bucket, l, &wakes);
    if (fw_wait_blocks_(wait) && fw_load32_relaxed(&me->state) != RW_ASLEEP)
        return 0; /* woken, or granted, by this very look */
    if (recheck_ns != 0 && rw_is_free(fw_load64_relaxed(&l->state_)))
        return 0;
    if (rw_shares(me))
        return fw_wait_sleep_(wait, &bucket->pulse, pulse, rw_pulse_bits(l),
                              0); /* F:rw-late-pulse */
    /* F:rw-no-recheck */
    return fw_wait_sleep_(wait, (const uint32_t *)&me->state, RW_ASLEEP, FW_FUTEX_ANY_BIT,
                          recheck_ns);
}

/* AHEAD -> WAITING */
static void run_ahead(struct rw_waiter *me)
{
    uint32_t state = RW_AHEAD;

    me->is_ahead |= fw_load32_relaxed(&me->state) == RW_AHEAD &&
                    fw_cas32_relaxed(&me->state, &state, RW_WAITING);
}

/* Spins for the policy's budget.  True: the lock was granted, or taken. */
static bool spin_in_queue(fw_rwlock *l, struct rw_waiter *me, struct fw_wait_ *wait)
{
    run_ahead(me);
    do {
        if (is_granted(me))
            return true;
        if (take(l, me)) {
            struct fw_waitqueue_ *bucket = enter(l);
            struct rw_wakes wakes;

            dequeue(bucket, l, me, &wakes);
            leave_after(bucket, l, &wakes);
            return true;
        }
        if (may_be_next(me, fw_load64_relaxed(&l->state_)))
            close_to_readers(l, me);
    } while ((me->may_spin || !fw_wait_blocks_(wait)) &&
             fw_wait_spin_on_(wait, rw_writer(fw_load64_relaxed(&l->state_))));
    me->may_spin = true;
    return false;
}

/* The deadline has passed.  True: the lock was granted all the same. */
static bool give_up(fw_rwlock *l, struct rw_waiter *me)
{
    struct fw_waitqueue_ *bucket = enter(l);
    struct rw_wakes wakes;

    if (is_granted(me)) {
        fw_waitqueue_unlock_(bucket);
        return true; /* F:rw-refuses-grant */
    }
    dequeue(bucket, l, me, &wakes);
    leave_after(bucket, l, &wakes);
    return false;
}

int fw_rw_wait_(fw_rwlock *l, enum rw_want want, struct fw_wait_ *wait)
{
    struct rw_waiter me = {
        .state = RW_WAITING, .want = want, .id = fw_self_(), .may_be_ahead = wait->budget_ns != 0};

    (void)fw_cpus_allowed_(); /* which asks the kernel once: not inside the bucket */
    if (step_in(l, &me))
        return 0;
    while (!spin_in_queue(l, &me, wait)) {
        if (sleep_in_queue(l, &me, wait) != -ETIMEDOUT) {
            fw_wait_again_(wait);
            continue;
        }
        if (!give_up(l, &me))
            return ETIMEDOUT;
        break;
    }
    note_ahead(&me, true);
    if (me.state == RW_ADMITTED)
        have_come(l);
    return 0;
}
