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
#include <furwock/thread_safety.h>
#include <furwock/wait.h>

FW_BEGIN_DECLS

/*
 * fw_rwlock: many readers or one writer, for the threads of one process.  Sixteen bytes, all zeroes
 * when free and of the default kind.
 *
 * Rules
 *  - A lock is ready when its bytes are those of FW_RWLOCK_INIT (zeroes) or of one of the other
 *    initialisers.  It needs no destructor and allocates nothing.  It may be freed by a holder once
 *    no other thread will ask for it: releases by previous holders do not touch it any more.
 *  - The kind says who goes first; it is chosen at initialisation and never changes.
 *      FAIR            Phase-fair, the default: neither side starves the other.  A reader waits for
 *                      one writer at most: readers that wait when a writer releases are admitted.
 *                      A queued writer waits for the readers that came before it: new ones do not
 *                      pass it, except those of the phase that a previous writer has ended.
 *      PREFER_READERS  A reader waits only while a writer holds the lock; so a thread that holds it
 *                      for reading may read-lock it again.  Readers can starve writers.
 *      PREFER_WRITERS  A reader also waits while a writer is queued.  Writers can starve
 *                      readers.
 *      GREEDY          As FAIR, but threads that run pass writers that sleep: for more threads
 *                      than CPUs, where more gets done, and some wait longer.  A reader waits for
 *                      one writer at most.  One queued writer at a time keeps new readers out, and
 *                      is handed the lock by the last reader: the first that runs and finds
 *                      readers inside, or one that was woken about half a millisecond before, and
 *                      has not had the lock, as a writer's release notices; beside a thread that
 *                      upgrades, the first of the queue.
 *    Among writers a release is greedy, in all kinds, as that of fw_mutex (furwock/mutex.h): a
 *    running writer may be quicker than one that has been woken; one that has lost for about half a
 *    millisecond is handed the lock.  If a reader's release ends the readers' phase, the lock is
 *    handed to the writer that came first (except in a lock that prefers readers, or is greedy).
 *    Real-time threads that wait to write go before others, by the priority that they had before
 *    they slept, and are handed the lock.  Whether readers or writers are next depends on the kind
 *    alone.
 *  - A third mode, upgradable, coexists with readers, excludes writers and other upgradable
 *    readers, and can be upgraded to write without a release in between.  A thread that upgrades
 *    waits for the readers to leave; no new ones are admitted meanwhile, unless the lock prefers
 *    readers.
 *  - A lock is released by the thread that took it, by the call for the mode that it has.  Locking
 *    for writing (or upgradable) what the caller holds in any mode, read-locking what it holds for
 *    writing, and releasing in a mode in which the lock is not held, are errors in the program:
 *    where the lock can tell, the library aborts it with a diagnostic on standard error.  It knows
 *    the writer, the upgradable reader, and one of the readers (the first, mostly).
 *  - Reading twice in one thread deadlocks when a writer comes in between, unless the lock prefers
 *    readers.  It aborts the program if the lock knows that the thread that would wait is a reader.
 *  - Up to 2^24 - 1 read locks may be held at a time; one more is an error.
 *  - Taking the lock synchronises with the releases before it that it had to wait for: a writer
 *    sees what all previous holders did, a reader what writers did.
 *  - fork(3), threads that end, other processes, other copies of the library: as for fw_mutex.  In
 *    a child, what other threads held at the fork (or were just given) stays held forever.
 *  - Tasks may wait for it without a thread, beside threads: furwock/await.h.
 *  - Not for signal handlers: a release with waiters takes a wait-queue bucket lock that the
 *    interrupted thread may hold.
 *
 * No call is a cancellation point or fails with EINTR.  Calls that may block wait as the wait
 * policy says (furwock/wait.h).
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
typedef struct FW_CAPABILITY("read-write lock") fw_rwlock {
    uint64_t state_; /* internal; doc/design/rwlock.md describes both, and they may change */
    uint64_t queue_;
} fw_rwlock;

typedef enum fw_rwlock_kind {
    FW_RWLOCK_FAIR = 0,
    FW_RWLOCK_PREFER_READERS = 1,
    FW_RWLOCK_PREFER_WRITERS = 2,
    FW_RWLOCK_GREEDY = 3
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
#define FW_RWLOCK_INIT_GREEDY \
    {                         \
        0, FW_RWLOCK_GREEDY   \
    }

/* Makes *l a free lock.  Returns 0, or EINVAL (and changes nothing) if the kind is unknown. */
FW_API int fw_rwlock_init(fw_rwlock *l, fw_rwlock_kind kind);

/* Internal: the words of a lock that one reader, or the writer, holds alone. */
#define FW_RWLOCK_READ_ UINT64_C(0x100)
#define FW_RWLOCK_WRITE_ UINT64_C(0x1)

static inline uint64_t fw_rwlock_sole_(uint64_t mode)
{
    return (uint64_t)fw_self_() << 32 | mode;
}

/* Internal: the rest of the calls, once the word has turned out to be `seen`. */
FW_API void fw_rwlock_rdlock_slow_(fw_rwlock *l, uint64_t seen) FW_ABI_NAME_(fw_rwlock_rdlock_slow);
FW_API void fw_rwlock_rdunlock_slow_(fw_rwlock *l, uint64_t seen)
    FW_ABI_NAME_(fw_rwlock_rdunlock_slow);
FW_API void fw_rwlock_wrlock_slow_(fw_rwlock *l, uint64_t seen) FW_ABI_NAME_(fw_rwlock_wrlock_slow);
FW_API void fw_rwlock_wrunlock_slow_(fw_rwlock *l, uint64_t seen)
    FW_ABI_NAME_(fw_rwlock_wrunlock_slow);

/*
 * --- Reading -----------------------------------------------------------------------------------
 *
 * Takes the lock for reading if that is possible at once.  Returns 0; EBUSY if a reader would have
 * to wait; EAGAIN if too many read locks are held.  Never waits.
 */
FW_NODISCARD FW_API int fw_rwlock_tryrdlock(fw_rwlock *l) FW_TRY_ACQUIRE_SHARED(0, l);

/* Takes the lock for reading, waiting if need be.  Aborts if too many read locks are held. */
FW_INLINE void fw_rwlock_rdlock(fw_rwlock *l) FW_ACQUIRE_SHARED(l) FW_NO_THREAD_SAFETY_ANALYSIS;
#ifndef FW_CALLED_
FW_INLINE void fw_rwlock_rdlock(fw_rwlock *l)
{
    uint64_t seen = 0;

    if (__builtin_expect(!fw_cas64_acquire(&l->state_, &seen, fw_rwlock_sole_(FW_RWLOCK_READ_)), 0))
        fw_rwlock_rdlock_slow_(l, seen);
}
#endif

/*
 * Takes the lock for reading, waiting until the deadline at most.  Returns 0; ETIMEDOUT; EAGAIN if
 * too many read locks are held; EINVAL if the caller must wait and the deadline is malformed
 * (furwock/bits/deadline.h).
 */
FW_NODISCARD FW_API int fw_rwlock_timedrdlock(fw_rwlock *l, const fw_deadline *deadline)
    FW_TRY_ACQUIRE_SHARED(0, l);

/*
 * Takes the lock for reading with a wait policy (NULL: the process default) and a deadline (NULL:
 * none).  Results as for fw_rwlock_timedrdlock; EINVAL also for a malformed policy.
 */
FW_NODISCARD FW_API int fw_rwlock_rdlock_policy(fw_rwlock *l, const fw_wait_policy *policy,
                                                const fw_deadline *deadline)
    FW_TRY_ACQUIRE_SHARED(0, l);

/* Releases the lock, which the caller holds for reading. */
FW_INLINE void fw_rwlock_rdunlock(fw_rwlock *l) FW_RELEASE_SHARED(l) FW_NO_THREAD_SAFETY_ANALYSIS;
#ifndef FW_CALLED_
FW_INLINE void fw_rwlock_rdunlock(fw_rwlock *l)
{
    uint64_t seen = fw_rwlock_sole_(FW_RWLOCK_READ_);

    if (__builtin_expect(!fw_cas64_release(&l->state_, &seen, 0), 0))
        fw_rwlock_rdunlock_slow_(l, seen);
}
#endif

/*
 * --- Writing -----------------------------------------------------------------------------------
 */

/* Takes the lock for writing if no thread holds it.  Returns 0, or EBUSY.  Never waits. */
FW_NODISCARD FW_API int fw_rwlock_trywrlock(fw_rwlock *l) FW_TRY_ACQUIRE(0, l);

/* Takes the lock for writing, waiting if need be. */
FW_INLINE void fw_rwlock_wrlock(fw_rwlock *l) FW_ACQUIRE(l) FW_NO_THREAD_SAFETY_ANALYSIS;
#ifndef FW_CALLED_
FW_INLINE void fw_rwlock_wrlock(fw_rwlock *l)
{
    uint64_t seen = 0;

    if (__builtin_expect(!fw_cas64_acquire(&l->state_, &seen, fw_rwlock_sole_(FW_RWLOCK_WRITE_)),
                         0))
        fw_rwlock_wrlock_slow_(l, seen);
}
#endif

/*
 * Takes the lock for writing, waiting until the deadline at most.  Returns 0; ETIMEDOUT; EINVAL if
 * the caller must wait and the deadline is malformed.
 */
FW_NODISCARD FW_API int fw_rwlock_timedwrlock(fw_rwlock *l, const fw_deadline *deadline)
    FW_TRY_ACQUIRE(0, l);

/*
 * Takes the lock for writing with a wait policy (NULL: the process default) and a deadline (NULL:
 * none).  Results as for fw_rwlock_timedwrlock; EINVAL also for a malformed policy.
 */
FW_NODISCARD FW_API int fw_rwlock_wrlock_policy(fw_rwlock *l, const fw_wait_policy *policy,
                                                const fw_deadline *deadline) FW_TRY_ACQUIRE(0, l);

/* Releases the lock, which the caller holds for writing. */
FW_INLINE void fw_rwlock_wrunlock(fw_rwlock *l) FW_RELEASE(l) FW_NO_THREAD_SAFETY_ANALYSIS;
#ifndef FW_CALLED_
FW_INLINE void fw_rwlock_wrunlock(fw_rwlock *l)
{
    uint64_t seen = fw_rwlock_sole_(FW_RWLOCK_WRITE_);

    if (__builtin_expect(!fw_cas64_release(&l->state_, &seen, 0), 0))
        fw_rwlock_wrunlock_slow_(l, seen);
}
#endif

/* Releases the lock, in whatever mode the caller holds it; costs some nanoseconds more. */
FW_API void fw_rwlock_unlock(fw_rwlock *l) FW_RELEASE_GENERIC(l);

/*
 * --- Upgradable reading ------------------------------------------------------------------------
 */

/*
 * Takes the lock upgradable if that is possible at once.  Returns 0, or EBUSY: a thread holds it
 * for writing or upgradable, or a writer goes first.  Never waits.
 */
FW_NODISCARD FW_API int fw_rwlock_upgradable_trylock(fw_rwlock *l) FW_TRY_ACQUIRE_SHARED(0, l);

/* Takes the lock upgradable, waiting if need be. */
FW_API void fw_rwlock_upgradable_lock(fw_rwlock *l) FW_ACQUIRE_SHARED(l);

/*
 * Takes the lock upgradable, waiting until the deadline at most.  Returns 0; ETIMEDOUT; EINVAL if
 * the caller must wait and the deadline is malformed.
 */
FW_NODISCARD FW_API int fw_rwlock_upgradable_timedlock(fw_rwlock *l, const fw_deadline *deadline)
    FW_TRY_ACQUIRE_SHARED(0, l);

/*
 * Takes the lock upgradable with a wait policy (NULL: the process default) and a deadline (NULL:
 * none).  Results as for fw_rwlock_upgradable_timedlock; EINVAL also for a malformed policy.
 */
FW_NODISCARD FW_API int fw_rwlock_upgradable_lock_policy(fw_rwlock *l, const fw_wait_policy *policy,
                                                         const fw_deadline *deadline)
    FW_TRY_ACQUIRE_SHARED(0, l);

/* Releases the lock, which the caller holds upgradable. */
FW_API void fw_rwlock_upgradable_unlock(fw_rwlock *l) FW_RELEASE_SHARED(l);

/*
 * Turns upgradable into write if there are no readers: 0.  EBUSY: there are, and the caller still
 * has the lock upgradable.  Never waits.
 */
FW_NODISCARD FW_API int fw_rwlock_tryupgrade(fw_rwlock *l);

/*
 * Turns upgradable into write, waiting for the readers to leave: what the caller has read still
 * holds.
 */
FW_API void fw_rwlock_upgrade(fw_rwlock *l) FW_RELEASE_SHARED(l) FW_ACQUIRE(l);

/*
 * Turns upgradable into write, waiting until the deadline at most.  Returns 0; after ETIMEDOUT,
 * and EINVAL (a malformed deadline), the caller still has the lock upgradable.
 */
FW_NODISCARD FW_API int fw_rwlock_timedupgrade(fw_rwlock *l, const fw_deadline *deadline);

/*
 * Turns write or upgradable into read; never waits.  Admits waiting readers.  (Aborts if 2^24 - 1
 * read locks are held beside an upgradable one.)
 */
FW_API void fw_rwlock_downgrade(fw_rwlock *l) FW_RELEASE_GENERIC(l) FW_ACQUIRE_SHARED(l);

/* Turns write into upgradable; never waits.  Admits waiting readers. */
FW_API void fw_rwlock_downgrade_upgradable(fw_rwlock *l) FW_RELEASE(l) FW_ACQUIRE_SHARED(l);

/*
 * The kernel thread id of the writer or of the upgradable reader; 0 if there is none.  A racy
 * snapshot, as fw_mutex_owner.
 */
FW_API pid_t fw_rwlock_owner(const fw_rwlock *l);

/*
 * Does the calling thread hold the lock for writing, or upgradable?  Exact, also after a fork, as
 * fw_mutex_is_held_by_me.  Readers are counted, not identified: there is no such call for them.
 */
FW_NODISCARD FW_API bool fw_rwlock_is_held_by_me(const fw_rwlock *l);

/* Aborts the program, with a diagnostic as for misuse, unless fw_rwlock_is_held_by_me. */
FW_API void fw_rwlock_assert_held(const fw_rwlock *l) FW_ASSERT_CAPABILITY(l);

/*
 * Aborts the program unless the calling thread may read: it holds the lock for writing or
 * upgradable, or some thread holds a read lock, perhaps another one (readers are not identified).
 */
FW_API void fw_rwlock_assert_rdheld(const fw_rwlock *l) FW_ASSERT_SHARED_CAPABILITY(l);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/rwlock.h>
#endif

FW_END_DECLS

#endif
