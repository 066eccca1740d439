/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_RWLOCK_H
#define FURWOCK_RWLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/annotate.h>
#include <furwock/bits/api.h>
#include <furwock/bits/atomic.h>
#include <furwock/bits/deadline.h>
#include <furwock/bits/self.h>
#include <furwock/wait.h>

FW_BEGIN_DECLS

/*
 * fw_rwlock: many readers or one writer, for the threads of one process.  Sixteen bytes, all zeroes
 * when free and of the default kind.
 *
 * Rules
 *  - A lock is ready when its bytes are those of FW_RWLOCK_INIT (zeroes) or of one of its sisters.
 *    It needs no destructor and allocates nothing.  It may be freed by whoever holds it and knows
 *    that nobody else will ask for it: releases by previous holders do not touch it any more.
 *  - The kind says who goes first; it is chosen at the beginning and stays.
 *      FAIR            Phase-fair, the default: neither side starves the other.  A reader waits for
 *                      one writer at most: whoever waits to read when a writer releases is let in.
 *                      A writer that stands in line waits for the readers that came before it: new
 *                      ones are not let past it, but for those of the phase that a writer before it
 *                      has ended.
 *      PREFER_READERS  A reader waits only while a writer holds the lock; so a thread that holds it
 *                      for reading may read-lock it again.  Readers can starve writers.
 *      PREFER_WRITERS  A reader also waits while a writer stands in line.  Writers can starve
 *                      readers.
 *    Among writers a release is greedy, in all kinds, as that of fw_mutex (furwock/mutex.h): a
 *    running writer may be quicker than one that has been woken; one that has lost for about half a
 *    millisecond is handed the lock.  Where a reader's release ends the readers' phase, the lock is
 *    handed to the writer that came first (but not in a lock that prefers readers).  Real-time
 *    threads that wait to write go before others, by priority, as that was before they slept, and
 *    are handed the lock.  Whether readers or writers are next is up to the kind alone.
 *  - A third mode, upgradable, reads together with readers, excludes writers and its own like, and
 *    can be turned into write without letting go in between.  A thread that upgrades waits for the
 *    readers to leave; no new ones are let in meanwhile, unless the lock prefers readers.
 *  - A lock is released by the thread that took it, by the call for the mode that it has.  Locking
 *    for writing (or upgradable) what one holds in any mode, reading what one holds for writing,
 *    and releasing what nobody holds so, are errors in the program: where the lock knows, they stop
 *    it (abort) with a line on standard error.  It knows the writer, the upgradable reader, and one
 *    of the readers (the first, mostly).
 *  - Reading twice in one thread deadlocks when a writer comes in between, unless the lock prefers
 *    readers.  It stops the program if the lock knows that the thread that would wait is a reader.
 *  - Up to 2^24 - 1 read locks may be held at a time; one more is an error.
 *  - Taking the lock synchronises with the releases before it that it had to wait for: a writer
 *    sees what all did before it, a reader what writers did.
 *  - fork(3), threads that end, other processes, other copies of the library: as for fw_mutex.  In
 *    a child, what other threads held at the fork (or were just given) stays held for ever.
 *  - Not for signal handlers: a release that somebody waits for enters a line that the interrupted
 *    thread may be busy with.
 *
 * No call is a cancellation point or fails by EINTR.  Where the calls may wait, the thread waits as
 * the waiting policy says (furwock/wait.h).
 *
 * "Furwock" is the name of the read-write lock built from futexes: Franke, Russell and Kirkwood,
 * OLS 2002, section 4.1.  Phase-fair: Brandenburg and Anderson, "Reader-Writer Synchronization for
 * Shared-Memory Multiprocessor Real-Time Systems", ECRTS 2009.
 *
 * Example
 *
 *     struct price {
 *         fw_rwlock lock;
 *         long bid, ask;
 *     };
 *
 *     void quote(struct price *p, long bid, long ask)
 *     {
 *         fw_rwlock_wrlock(&p->lock);
 *         p->bid = bid;
 *         p->ask = ask;
 *         fw_rwlock_wrunlock(&p->lock);
 *     }
 *
 *     long spread(struct price *p)
 *     {
 *         long s;
 *
 *         fw_rwlock_rdlock(&p->lock);
 *         s = p->ask - p->bid;
 *         fw_rwlock_rdunlock(&p->lock);
 *         return s;
 *     }
 */
typedef struct fw_rwlock {
    uint64_t state_; /* internal; doc/design/rwlock.md describes both, and they may change */
    uint64_t line_;
} fw_rwlock;

typedef enum fw_rwlock_kind {
    FW_RWLOCK_FAIR = 0,
    FW_RWLOCK_PREFER_READERS = 1,
    FW_RWLOCK_PREFER_WRITERS = 2
} fw_rwlock_kind;

#define FW_RWLOCK_INIT    \
    {                     \
        0, FW_RWLOCK_FAIR \
    }
#define FW_RWLOCK_INIT_READERS      \
    {                               \
        0, FW_RWLOCK_PREFER_READERS \
    }
#define FW_RWLOCK_INIT_WRITERS      \
    {                               \
        0, FW_RWLOCK_PREFER_WRITERS \
    }

/* Makes *l a free lock.  Returns 0, or EINVAL (and changes nothing) where the kind is unknown. */
FW_API int fw_rwlock_init(fw_rwlock *l, fw_rwlock_kind kind);

/* Internal: the words of a lock that one reader, or the writer, holds alone. */
#define FW_RWLOCK_READ_ UINT64_C(0x100)
#define FW_RWLOCK_WRITE_ UINT64_C(0x1)

static inline uint64_t fw_rwlock_sole_(uint64_t mode)
{
    return (uint64_t)fw_self_() << 32 | mode;
}

/* Internal: the rest of the calls, once the word has turned out to be `seen`. */
FW_API void fw_rwlock_rdlock_slow_(fw_rwlock *l, uint64_t seen);
FW_API void fw_rwlock_rdunlock_slow_(fw_rwlock *l, uint64_t seen);
FW_API void fw_rwlock_wrlock_slow_(fw_rwlock *l, uint64_t seen);
FW_API void fw_rwlock_wrunlock_slow_(fw_rwlock *l, uint64_t seen);

/*
 * --- Reading -----------------------------------------------------------------------------------
 *
 * Takes the lock for reading if nothing is in the way.  Returns 0; EBUSY where a reader would have
 * to wait; EAGAIN where too many read locks are held.  Never waits.
 */
FW_API int fw_rwlock_tryrdlock(fw_rwlock *l);

/* Takes the lock for reading, waiting if need be.  Too many read locks stop the program. */
FW_INLINE void fw_rwlock_rdlock(fw_rwlock *l);
FW_INLINE void fw_rwlock_rdlock(fw_rwlock *l)
{
    uint64_t seen = 0;

    if (__builtin_expect(!fw_cas64_acquire(&l->state_, &seen, fw_rwlock_sole_(FW_RWLOCK_READ_)), 0))
        fw_rwlock_rdlock_slow_(l, seen);
}

/*
 * The same, waiting until the deadline at most: 0; ETIMEDOUT; EAGAIN where too many read locks are
 * held; EINVAL where one must wait and the deadline is malformed (furwock/bits/deadline.h).  With a
 * waiting policy for this call (NULL: the process default) and a deadline (NULL: none), EINVAL also
 * for a malformed policy.
 */
FW_API int fw_rwlock_timedrdlock(fw_rwlock *l, const fw_deadline *deadline);
FW_API int fw_rwlock_rdlock_policy(fw_rwlock *l, const fw_wait_policy *policy,
                                   const fw_deadline *deadline);

/* Gives up the lock, which the caller holds for reading. */
FW_INLINE void fw_rwlock_rdunlock(fw_rwlock *l);
FW_INLINE void fw_rwlock_rdunlock(fw_rwlock *l)
{
    uint64_t seen = fw_rwlock_sole_(FW_RWLOCK_READ_);

    if (__builtin_expect(!fw_cas64_release(&l->state_, &seen, 0), 0))
        fw_rwlock_rdunlock_slow_(l, seen);
}

/*
 * --- Writing: as above, without EAGAIN; EBUSY where anybody holds the lock. ---------------------
 */
FW_API int fw_rwlock_trywrlock(fw_rwlock *l);

FW_INLINE void fw_rwlock_wrlock(fw_rwlock *l);
FW_INLINE void fw_rwlock_wrlock(fw_rwlock *l)
{
    uint64_t seen = 0;

    if (__builtin_expect(!fw_cas64_acquire(&l->state_, &seen, fw_rwlock_sole_(FW_RWLOCK_WRITE_)),
                         0))
        fw_rwlock_wrlock_slow_(l, seen);
}

FW_API int fw_rwlock_timedwrlock(fw_rwlock *l, const fw_deadline *deadline);
FW_API int fw_rwlock_wrlock_policy(fw_rwlock *l, const fw_wait_policy *policy,
                                   const fw_deadline *deadline);

FW_INLINE void fw_rwlock_wrunlock(fw_rwlock *l);
FW_INLINE void fw_rwlock_wrunlock(fw_rwlock *l)
{
    uint64_t seen = fw_rwlock_sole_(FW_RWLOCK_WRITE_);

    if (__builtin_expect(!fw_cas64_release(&l->state_, &seen, 0), 0))
        fw_rwlock_wrunlock_slow_(l, seen);
}

/* Gives up the lock, in whatever mode the caller holds it; some nanoseconds dearer. */
FW_API void fw_rwlock_unlock(fw_rwlock *l);

/*
 * --- Upgradable reading: as above, without EAGAIN. ----------------------------------------------
 */
FW_API int fw_rwlock_upgradable_trylock(fw_rwlock *l);
FW_API void fw_rwlock_upgradable_lock(fw_rwlock *l);
FW_API int fw_rwlock_upgradable_timedlock(fw_rwlock *l, const fw_deadline *deadline);
FW_API int fw_rwlock_upgradable_lock_policy(fw_rwlock *l, const fw_wait_policy *policy,
                                            const fw_deadline *deadline);
FW_API void fw_rwlock_upgradable_unlock(fw_rwlock *l);

/*
 * Turns upgradable into write: what one has read still holds.  tryupgrade: EBUSY where there are
 * readers.  After ETIMEDOUT, EBUSY or EINVAL the caller still has the lock upgradable.
 */
FW_API int fw_rwlock_tryupgrade(fw_rwlock *l);
FW_API void fw_rwlock_upgrade(fw_rwlock *l);
FW_API int fw_rwlock_timedupgrade(fw_rwlock *l, const fw_deadline *deadline);

/*
 * Turns write or upgradable into read; never waits.  Lets waiting readers in.  (Where 2^24 - 1 read
 * locks are held beside an upgradable one, it stops the program.)
 */
FW_API void fw_rwlock_downgrade(fw_rwlock *l);

/* Turns write into upgradable; never waits.  Lets waiting readers in. */
FW_API void fw_rwlock_downgrade_upgradable(fw_rwlock *l);

/*
 * The kernel thread id of the writer or of the upgradable reader; 0 where there is none.  A
 * glimpse, as fw_mutex_owner.
 */
FW_API pid_t fw_rwlock_owner(const fw_rwlock *l);

/*
 * Does the calling thread hold the lock for writing, or upgradable?  Exact, also after a fork, as
 * fw_mutex_is_held_by_me.  Who reads is counted and not named: there is no such question for
 * readers.
 */
FW_API bool fw_rwlock_is_held_by_me(const fw_rwlock *l);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/rwlock.h>
#endif

FW_END_DECLS

#endif
