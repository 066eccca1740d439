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
 * fw_ipc_rwlock: many readers or one writer, threads of any processes, which survives them all.
 *
 * Rules
 *  - It lies in a region (furwock/ipc/region.h), aligned to 8 bytes (64 are best); zeroes are a
 *    free lock.  It needs no destructor.  Its memory may be used for something else when no call
 *    on it is under way.
 *  - A reader that dies (killed, ended, exec) takes nothing along: its share counts for nothing
 *    from then on.  Writers see that at once, also those who sleep.
 *  - A writer that dies may leave the data half changed.  The next writer gets the lock with
 *    EOWNERDEAD, repairs, and calls fw_ipc_rwlock_consistent; if it unlocks without, the lock is
 *    given up: ENOTRECOVERABLE for all, from then on.  If it dies, the next one gets EOWNERDEAD.
 *  - With a journal or a repair function (below) the library repairs, whoever comes first, reader
 *    or writer, and the call answers 0.
 *  - Where that is not so, a call to read or to read upgradable finds half changed data that nobody
 *    repairs: it answers EOWNERDEAD and the caller has *nothing*.  It may call wrlock, get
 *    EOWNERDEAD with the lock, repair, and fw_ipc_rwlock_downgrade.
 *  - A writer that dies while it waits, also for the readers to leave, has changed nothing: nobody
 *    is told.  The same holds for a reader that held the lock upgradable.
 *  - Phase-fair: a writer that has come keeps new readers out until it had its turn; its release
 *    lets all readers in that wait.  So a reader waits for one writer at most, and readers starve
 *    nobody.  Among writers a release is greedy: a running one may be quicker than one that is
 *    woken.
 *  - Upgradable reading goes together with readers, and excludes writers and its own like.  It can
 *    be turned into writing without letting go: what one has read still holds.
 *  - A thread may read again what it reads, also while a writer waits; it then holds two shares.  A
 *    thread has FW_IPC_SHARES_MOST shares in a region at most, of all its locks.
 *  - A stopped holder (SIGSTOP, a debugger) is not dead: the others wait.
 *  - The holder is a thread.  After fork the child holds nothing: what the parent holds stays the
 *    parent's.  exec ends a thread, for this purpose, and so does its end without unlock.
 *  - Each acquisition for writing (an upgrade is one) has a number, greater than that of every one
 *    before: the generation.
 *  - Calls are not cancellation points and never fail by EINTR.  Not for signal handlers.
 *
 * Phase-fair: Brandenburg and Anderson, "Reader-Writer Synchronization for Shared-Memory
 * Multiprocessor Real-Time Systems", ECRTS 2009.
 *
 * Errors are returned.  Every call can answer:
 *   EINVAL           it lies in no region that this process has joined, or is misaligned
 *   EAGAIN           the region has no line left for another thread (fw_region_open)
 *   EUCLEAN          the lock has been written over: it is left as it is
 *
 * Example: a price that is never seen half changed; a quote needs nothing of the one before
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
typedef struct fw_ipc_rwlock {
    uint64_t word_; /* internal: doc/design/ipc-rwlock.md */
    fw_ipc_past past_;
    uint64_t hint_; /* where to look for shares */
    uint64_t spare_;
} fw_ipc_rwlock;

#define FW_IPC_RWLOCK_INIT {0, {0, 0, 0, 0, 0}, 0, 0}

/* Shares that one thread may have in a region. */
#define FW_IPC_SHARES_MOST 16

/* Makes *l a free lock, whose generation is 0.  0, or EINVAL. */
FW_API int fw_ipc_rwlock_init(fw_ipc_rwlock *l);

/*
 * --- Reading -----------------------------------------------------------------------------------
 *
 * Takes the lock for reading if nothing is in the way.
 *   0                 taken
 *   EBUSY             somebody (the caller too) writes, or wants to
 *   EOWNERDEAD        not taken: a writer died, and nobody has repaired what it left
 *   ENOTRECOVERABLE   not taken: the lock was given up
 *   EAGAIN            also: the caller has FW_IPC_SHARES_MOST shares
 *   EINVAL, EUCLEAN as above
 */
FW_API int fw_ipc_rwlock_tryrdlock(fw_ipc_rwlock *l);

/* Takes the lock for reading, waiting if need be.  As above, and EDEADLK: the caller writes. */
FW_API int fw_ipc_rwlock_rdlock(fw_ipc_rwlock *l);

/* The same until the deadline at most: ETIMEDOUT.  EINVAL also for a malformed deadline. */
FW_API int fw_ipc_rwlock_timedrdlock(fw_ipc_rwlock *l, const fw_deadline *deadline);

/* The same with a waiting policy (NULL: the process default) and a deadline (NULL: none). */
FW_API int fw_ipc_rwlock_rdlock_policy(fw_ipc_rwlock *l, const fw_wait_policy *policy,
                                       const fw_deadline *deadline);

/* Gives back a share.  EPERM: the caller has none. */
FW_API int fw_ipc_rwlock_rdunlock(fw_ipc_rwlock *l);

/*
 * --- Writing -----------------------------------------------------------------------------------
 *
 * Takes the lock for writing if nobody has it.
 *   0                 taken
 *   EOWNERDEAD        taken, and the writer before died: repair, then fw_ipc_rwlock_consistent
 *   EBUSY             somebody (the caller too) has the lock
 *   ENOTRECOVERABLE   not taken: the lock was given up
 *   EINVAL, EAGAIN, EUCLEAN as above
 */
FW_API int fw_ipc_rwlock_trywrlock(fw_ipc_rwlock *l);

/* Takes it, waiting if need be.  As above, and EDEADLK: the caller has the lock, in any mode. */
FW_API int fw_ipc_rwlock_wrlock(fw_ipc_rwlock *l);
FW_API int fw_ipc_rwlock_timedwrlock(fw_ipc_rwlock *l, const fw_deadline *deadline);
FW_API int fw_ipc_rwlock_wrlock_policy(fw_ipc_rwlock *l, const fw_wait_policy *policy,
                                       const fw_deadline *deadline);

/*
 * Gives up writing; commits the lock's journal, if it has one.  EPERM: the caller does not write.
 * EUCLEAN: given up, and the journal has been written over.
 */
FW_API int fw_ipc_rwlock_wrunlock(fw_ipc_rwlock *l);

/* Gives up whatever the caller has: writing; else a share; else upgradable reading; else EPERM. */
FW_API int fw_ipc_rwlock_unlock(fw_ipc_rwlock *l);

/*
 * --- Upgradable reading: as reading; EBUSY, and waiting, also where others have it so, and ------
 *     EDEADLK where the caller has it so, or has a share and would have to wait.
 */
FW_API int fw_ipc_rwlock_upgradable_trylock(fw_ipc_rwlock *l);
FW_API int fw_ipc_rwlock_upgradable_lock(fw_ipc_rwlock *l);
FW_API int fw_ipc_rwlock_upgradable_timedlock(fw_ipc_rwlock *l, const fw_deadline *deadline);
FW_API int fw_ipc_rwlock_upgradable_lock_policy(fw_ipc_rwlock *l, const fw_wait_policy *policy,
                                                const fw_deadline *deadline);
FW_API int fw_ipc_rwlock_upgradable_unlock(fw_ipc_rwlock *l);

/*
 * Turns upgradable into write, when the readers have left: 0.  After EBUSY (tryupgrade), ETIMEDOUT,
 * EINVAL (the deadline) or EDEADLK (the caller has a share too) it is still upgradable.  EPERM: the
 * caller has it not so.
 */
FW_API int fw_ipc_rwlock_tryupgrade(fw_ipc_rwlock *l);
FW_API int fw_ipc_rwlock_upgrade(fw_ipc_rwlock *l);
FW_API int fw_ipc_rwlock_timedupgrade(fw_ipc_rwlock *l, const fw_deadline *deadline);

/*
 * Turns write or upgradable into read; never waits.  Lets waiting readers in, commits the journal.
 * The caller keeps what it has after EPERM (neither), EAGAIN (no share left) and EOWNERDEAD (the
 * data are not declared consistent).  EUCLEAN: done, and the journal has been written over.
 */
FW_API int fw_ipc_rwlock_downgrade(fw_ipc_rwlock *l);

/* Turns write into upgradable, in the same way. */
FW_API int fw_ipc_rwlock_downgrade_upgradable(fw_ipc_rwlock *l);

/*
 * --- After a death: all as for fw_ipc_mutex (furwock/ipc/mutex.h) -------------------------------
 *
 * The writer's: the data are sound again.  EPERM: the caller does not write; EINVAL also: there is
 * no need.
 */
FW_API int fw_ipc_rwlock_consistent(fw_ipc_rwlock *l);

/* The number of the caller's acquisition for writing; for others at a glimpse. */
FW_API uint64_t fw_ipc_rwlock_generation(const fw_ipc_rwlock *l);

/* Who died last while it wrote.  0; ENOENT: nobody has. */
FW_API int fw_ipc_rwlock_death(const fw_ipc_rwlock *l, fw_ipc_death *death);

/*
 * From now on, in this process: `repair` is called, the lock held for writing, when a call to write
 * would answer EOWNERDEAD, and when one to read would.  0 from it: the call goes on, and answers 0.
 * NULL takes it back.  0, EINVAL as above, ENOMEM.
 */
FW_API int fw_ipc_rwlock_on_death(fw_ipc_rwlock *l, int (*repair)(void *arg, const fw_ipc_death *),
                                  void *arg);

/*
 * Gives the lock a journal, to be undone when a writer has died, and committed by the calls that
 * give up writing; NULL: none.  The caller writes, else EPERM.  As fw_ipc_mutex_journal.
 */
FW_API int fw_ipc_rwlock_journal(fw_ipc_rwlock *l, fw_ipc_journal *j);

/* What the calling thread has: the strongest, where it has a share beside upgradable reading. */
typedef enum fw_ipc_rwlock_mode {
    FW_IPC_RWLOCK_NONE = 0,
    FW_IPC_RWLOCK_READ = 1,
    FW_IPC_RWLOCK_UPGRADABLE = 2,
    FW_IPC_RWLOCK_WRITE = 3
} fw_ipc_rwlock_mode;

FW_API fw_ipc_rwlock_mode fw_ipc_rwlock_held_by_me(const fw_ipc_rwlock *l);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/ipc/rwlock.h>
#endif

FW_END_DECLS

#endif
