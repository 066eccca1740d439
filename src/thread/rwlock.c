/* SPDX-License-Identifier: MIT */
/*
 * fw_rwlock.  Contract: furwock/rwlock.h.  Bits: rwlock_word.h.  Whose turn it is: rwlock_turn.c.
 * Waiting: rwlock_queue.c.  Reasons, proofs and figures: doc/design/rwlock.md.
 *
 * Origin: the lock of Franke, Russell and Kirkwood (OLS 2002, section 4.1); phase-fair is
 * Brandenburg and Anderson's (ECRTS 2009); the wait queue outside of the lock is waitqueue.h's.
 *
 * mode        readers  owner  meaning               left by
 * ----------  -------  -----  --------------------  -----------------------------------------------
 * none        0        0      free                  anybody: takes it, in any mode (1)
 * none        n        any    n threads read        anybody: reads too (1), upgradable too (1, 2)
 *                                                   reader: leaves
 * UPGRADABLE  n        id     id reads, may         anybody: reads too (1)
 *                             upgrade; n read too   reader: leaves; id: leaves, reads; if n is 0,
 *                                                   writes
 * WRITER      0        id     id writes             id: leaves, reads, reads upgradable
 *
 * (1) reading and upgradable: not if CLOSED is set   (2) becomes UPGRADABLE, and the owner
 *
 * flag     says (changed inside the bucket only)
 * -------  ---------------------------------------------------------------------------------------
 * none     no thread is queued
 * WAITERS  some are: the writer, the upgradable or the last reader that leaves enters the bucket
 * WAKING   some are, and one of them, a writer, is awake and looks at the word: just leave
 * CLOSED   new readers queue too (in locks that do not prefer readers: a writer or an upgrader is
 *          queued; in a greedy one not any writer, but the next); only beside WAITERS or WAKING
 * COMING   greedy locks: a queued writer must not become the next (RW9)
 *
 * Legal:   any flag while the queue is empty, as after a fork (a needless visit to the bucket
 *          clears it); WAITERS while a writer is awake; WAKING while that one sleeps for at most
 *          RECHECK_NS; a writer that is next while another writes, that was quicker.
 * Illegal: a queued thread, outside the bucket, with neither WAITERS nor WAKING in the word; WAKING
 *          while no writer is awake or in a bounded sleep; WAKING while a release owes something to
 *          the queue (to a real-time writer; in a fair lock: while a reader is queued, or readers
 *          hold the lock); to change a flag outside the bucket.
 *
 * RW1  While a thread is queued, WAITERS or WAKING is set; the queue, the second word and the flags
 *      agree whenever nobody is in the bucket.
 * RW2  WAKING set implies a designated waker: a queued writer that is awake, about to be woken, or
 *      asleep for at most RECHECK_NS; it will enter the bucket, taking the lock or not, before it
 *      sleeps for longer or returns.  A free lock with a queue has one.
 * RW3  A queued thread that sleeps for longer than RECHECK_NS has found in the bucket that the lock
 *      is held, or that another is the designated waker: so the thread that changes that must look
 *      at the queue.
 * RW4  In a fair lock, a reader overtakes a queued writer only by a writer's release or downgrade,
 *      which admits all queued readers; or if the lock is free and has no designated waker.  The
 *      last reader hands the lock to the first writer of the queue.
 * RW5  A release does not touch the lock after its compare-and-swap, except for threads that it
 *      finds queued, inside the bucket, and only until the last of them has been told.  Wakes use
 *      addresses only.
 * RW6  The number of readers is exact; with WRITER it is 0.  Only the owner changes WRITER and
 *      UPGRADABLE, except for a grant to a waiter.
 * RW7  The queue is in order of urgency (waitqueue.h); a real-time writer is handed the lock.
 * RW8  An operation is never woken to take the lock: it is handed it when it has its turn.  If it
 *      is a loser of its group then, the lock is taken back inside the bucket, before it can know.
 * RW9  In a greedy lock, one queued writer at most is the next (NEXT, in the second word): the
 *      first of them.  It keeps new readers out, and the last reader hands it the lock.  A writer
 *      that runs and finds the lock open and read becomes the next, unless readers are coming
 *      (COMING): were woken with a grant, and have not run since.  A lock that is not held by a
 *      writer, and has writers queued, has a next, a designated waker, or readers that are coming;
 *      beside an upgrader, a next.
 * RW10  In a fair lock, while fewer threads are queued than there are CPUs, the first two writers
 *      of the queue do not sleep on when the lock passes to others: they are woken, and spin.  No
 *      promise depends on it.
 */
#include <errno.h>
#include <stddef.h>

/* This file has the linkable copies of the inline functions. */
#define FW_INLINE FW_API

#include <furwock/rwlock.h>

#include "core/attributes.h"
#include "core/thread_state.h"
#include "sys/thread.h"
#include "thread/mode.h"
#include "thread/rwlock_misuse.h"
#include "thread/rwlock_posix.h"
#include "thread/rwlock_queue.h"
#include "thread/rwlock_word.h"

_Static_assert(sizeof(fw_rwlock) == 16, "the public promise");

int fw_rwlock_init(fw_rwlock *l, fw_rwlock_kind kind)
{
    if (kind != FW_RWLOCK_FAIR && kind != FW_RWLOCK_PREFER_READERS &&
        kind != FW_RWLOCK_PREFER_WRITERS && kind != FW_RWLOCK_GREEDY)
        return EINVAL;
    l->queue_ = kind;
    fw_store64_relaxed(&l->state_, 0);
    return 0;
}

/* Entering, once the word is known to be w: 0, EBUSY, EAGAIN. */

/* n readers -> n + 1 readers */
static int try_read(fw_rwlock *l, fw_rw_word_ w, uint32_t id)
{
    while (rw_lets_readers_in(w)) {
        if (rw_is_full(w))
            return EAGAIN;
        if (fw_cas64_acquire(&l->state_, &w, rw_with_reader(w, id)))
            return 0;
    }
    return EBUSY;
}

/* free -> WRITER */
static int try_write(fw_rwlock *l, fw_rw_word_ w, uint32_t id)
{
    while (rw_is_free(w))
        if (fw_cas64_acquire(&l->state_, &w, rw_with_writer(w, id)))
            return 0;
    return EBUSY;
}

/* no UPGRADABLE -> UPGRADABLE */
static int try_upread(fw_rwlock *l, fw_rw_word_ w, uint32_t id)
{
    while (rw_lets_upgradable_in(w))
        if (fw_cas64_acquire(&l->state_, &w, rw_with_upgradable(w, id)))
            return 0;
    return EBUSY;
}

/* UPGRADABLE, no readers -> WRITER */
static int try_upgrade(fw_rwlock *l, fw_rw_word_ w)
{
    while (!rw_has_readers(w)) /* F:rw-upgrades-early */
        if (fw_cas64_acquire(&l->state_, &w, w ^ (RW_UPGRADABLE | RW_WRITER)))
            return 0;
    return EBUSY;
}

static int begin(struct fw_wait_ *wait, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    int error = fw_wait_begin_(wait, policy, deadline);

    if (error == 0 && fw_wait_is_over_(wait))
        return ETIMEDOUT;
    return error;
}

COLD static int read_slow(fw_rwlock *l, fw_rw_word_ seen, const fw_wait_policy *policy,
                          const fw_deadline *deadline, enum fw_mode_ mode)
{
    uint32_t id = fw_self_();
    struct fw_wait_ wait;
    int error = try_read(l, seen, id);

    if (error != EBUSY)
        return error;
    error = check_before_read(l, fw_load64_relaxed(&l->state_), id, mode);
    if (error == 0)
        error = begin(&wait, policy, deadline);
    return error != 0 ? error : fw_rw_wait_(l, RW_READ, &wait);
}

int fw_rwlock_tryrdlock(fw_rwlock *l)
{
    return try_read(l, 0, fw_self_());
}

COLD void fw_rwlock_rdlock_slow_(fw_rwlock *l, uint64_t seen)
{
    if (read_slow(l, seen, NULL, NULL, FW_MODE_CHECKED) != 0)
        fw_panic_("rwlock has too many readers", l, fw_self_(), 0);
}

int fw_rwlock_timedrdlock(fw_rwlock *l, const fw_deadline *deadline)
{
    return fw_rwlock_rdlock_policy(l, NULL, deadline);
}

int fw_rwlock_rdlock_policy(fw_rwlock *l, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    return read_slow(l, 0, policy, deadline, FW_MODE_CHECKED);
}

int fw_rwlock_rdlock_posix_(fw_rwlock *l, const fw_deadline *deadline)
{
    return read_slow(l, 0, NULL, deadline, FW_MODE_POSIX);
}

/* n readers -> n - 1 readers; the last one serves the queue if there is one. */
static void end_reading(fw_rwlock *l, fw_rw_word_ w, enum fw_mode_ mode)
{
    uint32_t id = fw_self_();

    do {
        if (!rw_has_readers(w)) {
            refuse_nobody(l, w, id, mode);
            return;
        }
        if (rw_has_waiters(w) && rw_has_one_reader(w)) { /* F:rw-quiet-reader */
            fw_rw_release_(l, RW_READER_LEAVES, false);
            return;
        }
    } while (!fw_cas64_release(&l->state_, &w, rw_without_reader(w, id)));
}

COLD void fw_rwlock_rdunlock_slow_(fw_rwlock *l, uint64_t seen)
{
    end_reading(l, seen, FW_MODE_CHECKED);
}

/* While a writer holds the lock, nothing is lost by not queueing: no reader can enter. */
static bool take_after_writer(fw_rwlock *l, uint32_t id, struct fw_wait_ *wait)
{
    for (;;) {
        fw_rw_word_ w = fw_load64_relaxed(&l->state_);

        if (rw_is_free(w)) { /* F:rw-robs-preempted */
            if (try_write(l, w, id) == 0)
                return true;
        } else if (!rw_has_writer(w) || !fw_wait_spin_on_(wait, rw_writer(w))) {
            return false;
        }
    }
}

COLD static int write_slow(fw_rwlock *l, fw_rw_word_ seen, const fw_wait_policy *policy,
                           const fw_deadline *deadline, enum fw_mode_ mode)
{
    uint32_t id = fw_self_();
    struct fw_wait_ wait;
    int error;

    if (try_write(l, seen, id) == 0)
        return 0;
    error = check_before_write(l, fw_load64_relaxed(&l->state_), id, mode);
    if (error == 0)
        error = begin(&wait, policy, deadline);
    if (error != 0)
        return error;
    if (take_after_writer(l, id, &wait))
        return 0;
    fw_is_overdue_(l, false); /* a thread that sleeps does not keep others from running */
    return fw_rw_wait_(l, RW_WRITE, &wait);
}

int fw_rwlock_trywrlock(fw_rwlock *l)
{
    return try_write(l, 0, fw_self_());
}

COLD void fw_rwlock_wrlock_slow_(fw_rwlock *l, uint64_t seen)
{
    /* cannot fail: no deadline, and the default policy is valid */
    write_slow(l, seen, NULL, NULL, FW_MODE_CHECKED);
}

int fw_rwlock_timedwrlock(fw_rwlock *l, const fw_deadline *deadline)
{
    return fw_rwlock_wrlock_policy(l, NULL, deadline);
}

int fw_rwlock_wrlock_policy(fw_rwlock *l, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    return write_slow(l, 0, policy, deadline, FW_MODE_CHECKED);
}

int fw_rwlock_wrlock_posix_(fw_rwlock *l, const fw_deadline *deadline)
{
    return write_slow(l, 0, NULL, deadline, FW_MODE_POSIX);
}

/* WRITER -> free; or what the queue needs. */
static void end_writing(fw_rwlock *l, fw_rw_word_ w, enum fw_mode_ mode)
{
    bool overdue;

    if (mode == FW_MODE_CHECKED)
        check_writer(l, w, "rwlock write-unlocked by a thread that does not write");
    overdue = !rw_has_waiters(w) && fw_is_overdue_(l, rw_wake_is_under_way(w));
    do {
        if (rw_has_waiters(w) || overdue) { /* F:rw-quiet-writer */
            fw_rw_release_(l, RW_WRITER_LEAVES, overdue);
            return;
        }
    } while (!fw_cas64_release(&l->state_, &w, rw_without_writer(w)));
}

COLD void fw_rwlock_wrunlock_slow_(fw_rwlock *l, uint64_t seen)
{
    end_writing(l, seen, FW_MODE_CHECKED);
}

COLD void fw_rwlock_unlock_posix_(fw_rwlock *l, uint64_t seen)
{
    if (rw_has_writer(seen))
        end_writing(l, seen, FW_MODE_POSIX);
    else
        end_reading(l, seen, FW_MODE_POSIX);
}

void fw_rwlock_unlock(fw_rwlock *l)
{
    fw_rw_word_ w = fw_load64_relaxed(&l->state_);
    bool is_mine = rw_owner(w) == fw_self_();

    if (rw_has_writer(w))
        fw_rwlock_wrunlock(l);
    else if (rw_has_upgradable(w) && is_mine)
        fw_rwlock_upgradable_unlock(l);
    else
        fw_rwlock_rdunlock(l);
}

int fw_rwlock_upgradable_trylock(fw_rwlock *l)
{
    return try_upread(l, 0, fw_self_());
}

void fw_rwlock_upgradable_lock(fw_rwlock *l)
{
    (void)!fw_rwlock_upgradable_lock_policy(l, NULL, NULL);
}

int fw_rwlock_upgradable_timedlock(fw_rwlock *l, const fw_deadline *deadline)
{
    return fw_rwlock_upgradable_lock_policy(l, NULL, deadline);
}

int fw_rwlock_upgradable_lock_policy(fw_rwlock *l, const fw_wait_policy *policy,
                                     const fw_deadline *deadline)
{
    uint32_t id = fw_self_();
    struct fw_wait_ wait;
    int error;

    if (try_upread(l, 0, id) == 0)
        return 0;
    refuse_holder(l, fw_load64_relaxed(&l->state_), id,
                  "rwlock locked upgradable by a thread that holds it");
    error = begin(&wait, policy, deadline);
    return error != 0 ? error : fw_rw_wait_(l, RW_UPREAD, &wait);
}

/* UPGRADABLE -> no UPGRADABLE */
void fw_rwlock_upgradable_unlock(fw_rwlock *l)
{
    fw_rw_word_ w =
        check_upreader(l, "rwlock upgradable-unlocked by a thread that does not hold it");

    do {
        if (rw_has_waiters(w)) { /* F:rw-quiet-upgradable */
            fw_rw_release_(l, RW_UPREADER_LEAVES, false);
            return;
        }
    } while (!fw_cas64_release(&l->state_, &w, rw_without_upgradable(w)));
}

int fw_rwlock_tryupgrade(fw_rwlock *l)
{
    return try_upgrade(l, check_upgrade(l));
}

void fw_rwlock_upgrade(fw_rwlock *l)
{
    (void)!fw_rwlock_timedupgrade(l, NULL);
}

int fw_rwlock_timedupgrade(fw_rwlock *l, const fw_deadline *deadline)
{
    struct fw_wait_ wait;
    int error;

    if (try_upgrade(l, check_upgrade(l)) == 0)
        return 0;
    error = begin(&wait, NULL, deadline);
    return error != 0 ? error : fw_rw_wait_(l, RW_UPGRADE, &wait);
}

void fw_rwlock_downgrade(fw_rwlock *l)
{
    static const char misuse[] = "rwlock downgraded by a thread that does not hold it";
    uint64_t seen = fw_rwlock_sole_(RW_WRITER);

    /* WRITER -> one reader, if nobody waits */
    if (fw_cas64_release(&l->state_, &seen, fw_rwlock_sole_(RW_READER)))
        return;
    if (rw_has_writer(seen)) {
        check_writer(l, seen, misuse);
        fw_rw_release_(l, RW_WRITER_READS, false); /* F:rw-torn-downgrade */
        return;                                    /* F:rw-torn-downgrade-2 */
    }
    if (rw_is_full(check_upreader(l, misuse)))
        fw_panic_("rwlock has too many readers", l, fw_self_(), 0);
    fw_rw_release_(l, RW_UPREADER_READS, false);
}

void fw_rwlock_downgrade_upgradable(fw_rwlock *l)
{
    check_writer(l, fw_load64_relaxed(&l->state_),
                 "rwlock downgraded by a thread that does not write");
    fw_rw_release_(l, RW_WRITER_UPREADS, false);
}

pid_t fw_rwlock_owner(const fw_rwlock *l)
{
    fw_rw_word_ w = fw_load64_relaxed(&l->state_);

    return rw_has_writer(w) || rw_has_upgradable(w) ? fw_id_number_(rw_owner(w)) : 0;
}
