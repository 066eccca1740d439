/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_IPC_RWLOCK_H
#define FURWOCK_IPC_RWLOCK_H

#include <stdint.h>

#include <furwock/bits/annotate.h>
#include <furwock/bits/api.h>
#include <furwock/bits/deadline.h>
#include <furwock/ipc/journal.h>
#include <furwock/ipc/mutex.h>
#include <furwock/wait.h>

FW_BEGIN_DECLS

/*
 * fw_ipc_rwlock: many readers or one writer, threads of any processes, robust against their death.
 *
 * Rules
 *  - It lies in a region (furwock/ipc/region.h), aligned to 8 bytes (64 are best); zeroes are a
 *    free lock.  It needs no destructor.  Its memory may be reused when no call on it is under way.
 *  - If a reader dies (killed, ended, exec), its read lock counts as released.  Writers see that at
 *    once, also those that sleep.
 *  - A writer that dies may leave the data half changed.  The next writer acquires the lock with
 *    EOWNERDEAD, repairs, and calls fw_ipc_rwlock_consistent; if it unlocks without doing so, the
 *    lock becomes unusable: ENOTRECOVERABLE for all, from then on.  If it dies, the next one gets
 *    EOWNERDEAD.
 *  - With a journal or a repair function (below) the library repairs the data for the first reader
 *    or writer, and the call returns 0.
 *  - Without them, a call to read or to read upgradable returns EOWNERDEAD and the caller holds
 *    *nothing*. It may call wrlock, acquire the lock with EOWNERDEAD, repair, and call
 *    fw_ipc_rwlock_downgrade.
 *  - The death of a writer that waits, also for the readers to leave, is not reported: it has
 *    changed nothing.  The same holds for an upgradable reader.
 *  - Phase-fair: a waiting writer keeps new readers out until it has had its turn; its release
 *    admits all waiting readers.  So a reader waits for one writer at most, and readers do not
 *    starve writers.  Among writers a release is greedy: a running one may be quicker than one that
 *    is woken.
 *  - The upgradable mode coexists with readers, and excludes writers and other upgradable readers.
 *    It can be upgraded to write without a release: what the caller has read still holds.
 *  - A thread may read-lock again what it has read-locked, also while a writer waits; it then holds
 *    two read locks.  A thread holds at most FW_IPC_SHARES_MAX read locks in a region.
 *  - A stopped owner (SIGSTOP, a debugger) is not dead: the others wait.
 *  - The owner is a thread.  After fork the child holds nothing: the parent keeps its locks.  exec
 *    counts as the death of the thread, and so does its end without an unlock.
 *  - Each acquisition for writing (an upgrade is one) has a number, greater than that of every one
 *    before: the generation.
 *  - Calls are not cancellation points and never fail with EINTR.  Not for signal handlers.
 *
 * Phase-fair: Brandenburg and Anderson, "Reader-Writer Synchronization for Shared-Memory
 * Multiprocessor Real-Time Systems", ECRTS 2009.
 *
 * Errors are returned.  Every call can return:
 *   EINVAL           it lies in no region that this process has joined, or is misaligned
 *   EAGAIN           the region has no participant slot left for another thread (fw_region_open)
 *   EUCLEAN          the lock has been overwritten: it is left as it is
 *
 * Example: a price that is never seen half changed; a new quote replaces the old one completely
 *
 *     struct price {
 *         fw_ipc_rwlock lock;
 *         long bid, ask;
 *     };
 *
 *     int quote(struct price *p, long bid, long ask)
 *     {
 *         int error = fw_ipc_rwlock_wrlock(&p->lock);
 *
 *         if (error == EOWNERDEAD)
 *             error = fw_ipc_rwlock_consistent(&p->lock);
 *         if (error != 0)
 *             return error;
 *         p->bid = bid;
 *         p->ask = ask;
 *         return fw_ipc_rwlock_wrunlock(&p->lock);
 *     }
 *
 *     int spread(struct price *p, long *spread)
 *     {
 *         int error = fw_ipc_rwlock_rdlock(&p->lock);
 *
 *         if (error != 0)
 *             return error;
 *         *spread = p->ask - p->bid;
 *         return fw_ipc_rwlock_rdunlock(&p->lock);
 *     }
 */
typedef struct FW_CAPABILITY("read-write lock between processes") fw_ipc_rwlock {
    uint64_t word_; /* internal: doc/design/ipc-rwlock.md */
    fw_ipc_history history_;
    uint64_t hint_; /* where to look for readers */
    uint64_t spare_;
} fw_ipc_rwlock;

#define FW_IPC_RWLOCK_INIT       \
    {                            \
        0, {0, 0, 0, 0, 0}, 0, 0 \
    }

/* Read locks that one thread may hold in a region. */
#define FW_IPC_SHARES_MAX 16

/* Makes *l a free lock, whose generation is 0.  0, or EINVAL. */
FW_API int fw_ipc_rwlock_init(fw_ipc_rwlock *l);

/*
 * --- Reading -----------------------------------------------------------------------------------
 *
 * Takes the lock for reading if that is possible at once.
 *   0                 taken
 *   EBUSY             a thread (perhaps the caller) writes, or waits to
 *   EOWNERDEAD        not taken: a writer died, and the data are not repaired
 *   ENOTRECOVERABLE   not taken: the lock is unusable
 *   EAGAIN            also: the caller holds FW_IPC_SHARES_MAX read locks
 *   EINVAL, EUCLEAN as above
 */
FW_NODISCARD FW_API int fw_ipc_rwlock_tryrdlock(fw_ipc_rwlock *l);

/*
 * Takes the lock for reading, waiting if need be.  As above, and EDEADLK: the caller holds it for
 * writing.
 */
FW_NODISCARD FW_API int fw_ipc_rwlock_rdlock(fw_ipc_rwlock *l);

/*
 * Takes the lock for reading as fw_ipc_rwlock_rdlock, waiting until the deadline at most:
 * ETIMEDOUT.  EINVAL also for a malformed deadline.
 */
FW_NODISCARD FW_API int fw_ipc_rwlock_timedrdlock(fw_ipc_rwlock *l, const fw_deadline *deadline);

/*
 * Takes the lock for reading with a wait policy (NULL: the process default) and a deadline (NULL:
 * none); results as for fw_ipc_rwlock_timedrdlock.  Also, as all calls here with a policy,
 * ECANCELED and EINTR if it asks for that: furwock/ipc/interrupt.h.
 */
FW_NODISCARD FW_API int fw_ipc_rwlock_rdlock_policy(fw_ipc_rwlock *l, const fw_wait_policy *policy,
                                                    const fw_deadline *deadline);

/* Releases a read lock.  EPERM: the caller has none. */
FW_API int fw_ipc_rwlock_rdunlock(fw_ipc_rwlock *l);

/*
 * --- Writing -----------------------------------------------------------------------------------
 *
 * Takes the lock for writing if no thread holds it.
 *   0                 taken
 *   EOWNERDEAD        taken, and the previous writer died: repair, then fw_ipc_rwlock_consistent
 *   EBUSY             a thread (perhaps the caller) holds the lock
 *   ENOTRECOVERABLE   not taken: the lock is unusable
 *   EINVAL, EAGAIN, EUCLEAN as above
 */
FW_NODISCARD FW_API int fw_ipc_rwlock_trywrlock(fw_ipc_rwlock *l);

/*
 * Takes the lock for writing, waiting if need be.  Results as for fw_ipc_rwlock_trywrlock without
 * EBUSY; and EDEADLK: the caller holds the lock, in any mode.
 */
FW_NODISCARD FW_API int fw_ipc_rwlock_wrlock(fw_ipc_rwlock *l);

/*
 * Takes the lock for writing as fw_ipc_rwlock_wrlock, waiting until the deadline at most:
 * ETIMEDOUT.  EINVAL also for a malformed deadline.
 */
FW_NODISCARD FW_API int fw_ipc_rwlock_timedwrlock(fw_ipc_rwlock *l, const fw_deadline *deadline);

/*
 * Takes the lock for writing with a wait policy (NULL: the process default) and a deadline (NULL:
 * none); results as for fw_ipc_rwlock_timedwrlock, and ECANCELED and EINTR if the policy asks for
 * that.
 */
FW_NODISCARD FW_API int fw_ipc_rwlock_wrlock_policy(fw_ipc_rwlock *l, const fw_wait_policy *policy,
                                                    const fw_deadline *deadline);

/*
 * Releases the write lock; commits the lock's journal, if it has one.  EPERM: the caller does not
 * hold it.  EUCLEAN: released, and the journal has been overwritten.
 */
FW_API int fw_ipc_rwlock_wrunlock(fw_ipc_rwlock *l);

/* Releases what the caller holds: the write lock; else a read lock; else upgradable; else EPERM. */
FW_API int fw_ipc_rwlock_unlock(fw_ipc_rwlock *l);

/*
 * --- Upgradable reading ------------------------------------------------------------------------
 *
 * Takes the lock upgradable if that is possible at once.  Results as for fw_ipc_rwlock_tryrdlock;
 * EBUSY also: a thread (perhaps the caller) holds it upgradable.
 */
FW_NODISCARD FW_API int fw_ipc_rwlock_upgradable_trylock(fw_ipc_rwlock *l);

/*
 * Takes the lock upgradable, waiting for a writer or another upgradable reader.  Results as for
 * fw_ipc_rwlock_rdlock; EDEADLK also: the caller holds it upgradable, or has read-locked it and
 * would have to wait.
 */
FW_NODISCARD FW_API int fw_ipc_rwlock_upgradable_lock(fw_ipc_rwlock *l);

/*
 * Takes the lock upgradable, waiting until the deadline at most: ETIMEDOUT.  EINVAL also for a
 * malformed deadline; else as fw_ipc_rwlock_upgradable_lock.
 */
FW_NODISCARD FW_API int fw_ipc_rwlock_upgradable_timedlock(fw_ipc_rwlock *l,
                                                           const fw_deadline *deadline);

/*
 * Takes the lock upgradable with a wait policy (NULL: the process default) and a deadline (NULL:
 * none); results as for fw_ipc_rwlock_upgradable_timedlock, and ECANCELED and EINTR if the policy
 * asks for that.
 */
FW_NODISCARD FW_API int fw_ipc_rwlock_upgradable_lock_policy(fw_ipc_rwlock *l,
                                                             const fw_wait_policy *policy,
                                                             const fw_deadline *deadline);

/* Releases the lock, which the caller holds upgradable.  EPERM: it does not. */
FW_API int fw_ipc_rwlock_upgradable_unlock(fw_ipc_rwlock *l);

/*
 * Upgrades to write if there are no readers: 0.  EBUSY: there are, and the caller still holds the
 * lock upgradable.  EDEADLK: the caller also holds a read lock.  EPERM: it does not hold it
 * upgradable.
 */
FW_NODISCARD FW_API int fw_ipc_rwlock_tryupgrade(fw_ipc_rwlock *l);

/*
 * Upgrades to write, waiting for the readers to leave: what the caller has read still holds.
 * EDEADLK: the caller also holds a read lock, and is still upgradable.  EPERM: it does not hold
 * the lock upgradable.
 */
FW_NODISCARD FW_API int fw_ipc_rwlock_upgrade(fw_ipc_rwlock *l);

/*
 * Upgrades to write as fw_ipc_rwlock_upgrade, waiting until the deadline at most.  After ETIMEDOUT
 * and EINVAL (a malformed deadline), too, the caller still holds the lock upgradable.
 */
FW_NODISCARD FW_API int fw_ipc_rwlock_timedupgrade(fw_ipc_rwlock *l, const fw_deadline *deadline);

/*
 * Downgrades write or upgradable to read; never waits.  Admits waiting readers, commits the
 * journal.  The caller keeps what it holds after EPERM (neither), EAGAIN (too many read locks) and
 * EOWNERDEAD (the data are not declared consistent).  EUCLEAN: done, and the journal has been
 * overwritten.
 */
FW_API int fw_ipc_rwlock_downgrade(fw_ipc_rwlock *l);

/* Downgrades write to upgradable, in the same way. */
FW_API int fw_ipc_rwlock_downgrade_upgradable(fw_ipc_rwlock *l);

/*
 * --- After a death: all as for fw_ipc_mutex (furwock/ipc/mutex.h) -------------------------------
 *
 * For the writer: declares the data consistent.  EPERM: the caller is not the writer; EINVAL also:
 * they are consistent already.
 */
FW_API int fw_ipc_rwlock_consistent(fw_ipc_rwlock *l);

/* The number of the caller's acquisition for writing; for others a snapshot. */
FW_API uint64_t fw_ipc_rwlock_generation(const fw_ipc_rwlock *l);

/* The last writer that died. 0; ENOENT: none has. */
FW_API int fw_ipc_rwlock_death(const fw_ipc_rwlock *l, fw_ipc_death *death);

/*
 * Registers a repair function, for this process: `repair` is called, with the lock held for
 * writing, when a call to write or to read would return EOWNERDEAD. If it returns 0, the call goes
 * on and returns 0.  NULL unregisters it. 0, EINVAL as above, ENOMEM.
 */
FW_API int fw_ipc_rwlock_on_death(fw_ipc_rwlock *l, int (*repair)(void *arg, const fw_ipc_death *),
                                  void *arg);

/*
 * Attaches a journal to the lock, which is undone when a writer has died, and committed by the
 * calls that release the write lock; NULL detaches it.  The caller must be the writer, else EPERM.
 * As fw_ipc_mutex_journal.
 */
FW_API int fw_ipc_rwlock_journal(fw_ipc_rwlock *l, fw_ipc_journal *j);

/* What the calling thread holds: the strongest mode if it holds several. */
typedef enum fw_ipc_rwlock_mode {
    FW_IPC_RWLOCK_NONE = 0,
    FW_IPC_RWLOCK_READ = 1,
    FW_IPC_RWLOCK_UPGRADABLE = 2,
    FW_IPC_RWLOCK_WRITE = 3
} fw_ipc_rwlock_mode;

/* In which mode the calling thread holds the lock; exact. */
FW_API fw_ipc_rwlock_mode fw_ipc_rwlock_held_by_me(const fw_ipc_rwlock *l);

/*
 * Aborts the program, with a diagnostic on standard error, unless the calling thread holds the lock
 * in that mode or a stronger one.
 */
FW_API void fw_ipc_rwlock_assert_held(const fw_ipc_rwlock *l, fw_ipc_rwlock_mode mode);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/ipc/rwlock.h>
#endif

FW_END_DECLS

#endif
