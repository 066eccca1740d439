/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BRLOCK_H
#define FURWOCK_BRLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <furwock/bits/annotate.h>
#include <furwock/bits/api.h>
#include <furwock/bits/deadline.h>
#include <furwock/thread_safety.h>
#include <furwock/wait.h>

FW_BEGIN_DECLS

/*
 * fw_brlock: the big-reader lock, for data that is almost only read, by the threads of one process.
 *
 * While no writer is there, readers share no cache line that any of them writes, so they scale with
 * the CPUs: each counts itself in a cache line of its CPU, without an atomic instruction if the
 * kernel has rseq (x86-64, glibc 2.35, Linux 5.10).  Otherwise a thread counts itself in one of
 * several cache lines by one atomic instruction.  Writers pay for it: one asks the kernel to
 * interrupt all CPUs that run the process (a membarrier: microseconds), and reads all counters.
 * After a write the first 64 readers or so count themselves in one shared cache line, with an
 * atomic instruction; a writer that comes before the last of these, or to a new lock, need not
 * interrupt other CPUs, and costs what a writer of other read-write locks costs.
 * doc/design/brlock.md says how; doc/guide/choosing.md when it pays.
 *
 * Rules
 *  - A lock is initialised by fw_brlock_init, which allocates a cache line per CPU and some more,
 *    and destroyed by fw_brlock_destroy.  There is no static initialiser: the first read lock would
 *    have to allocate, and could not report failure.
 *  - Any number of readers, or one writer, and phase-fair: a waiting writer keeps new readers out,
 *    so it waits only for the readers that came before it; and waiting readers are admitted before
 *    the next writer, so a reader waits for one writer at most.
 *  - A read lock may be released by another thread of the process than took it only with rseq; do
 *    not rely on it.  The write lock belongs to the thread that took it.
 *  - A thread must not take a read lock that it holds already: it would wait for a writer that
 *    waits for it.  (fw_brlock_tryrdlock does not wait, and may be used.)
 *  - Errors that abort the program with a diagnostic on standard error: the writer asks for the
 *    lock again, for reading or writing; a write lock is released by a thread that does not hold
 *    it; a lock is destroyed while it is held.  The release of a read lock that is not held is
 *    detected if counters are shared by atomic instructions, or a writer waits, and is silent
 *    corruption otherwise.
 *  - A lock that no thread holds or will ask for may be destroyed and its memory freed at once:
 *    either the last release does not touch them any more, or destroy waits for it.
 *  - The lock's own 16 bytes are read by every reader, and written by writers, and by at most one
 *    reader after each of them.  What lies on the same cache line should be written as rarely.
 *  - After fork(3) the child's only thread holds what the forking thread held, and may release it.
 *    What another thread held, for reading or writing, stays held in the child forever.  The child
 *    must not use a lock that another thread was taking for writing, or waiting for.  Not for the
 *    child of vfork, and not for memory shared between processes.  It cannot destroy such a lock:
 *    fw_brlock_trydestroy returns EBUSY, and the C++ class does not destroy it when the child
 *    exits.
 *  - A lock held by a thread that ends stays held forever.
 *  - A program that installs a system call filter after it has made such locks must allow
 *    membarrier.  If it is refused, the next writer that has to ask aborts the program: there is no
 *    other way to find the readers.  (Locks made after the filter count by atomic instructions, and
 *    need none.)
 *  - On x86, non-temporal stores need an sfence before a release: furwock/mutex.h.
 *
 * No call is a cancellation point or fails with EINTR. The try calls and the releases are safe in a
 * signal handler.  Calls that may block wait as the wait policy says (furwock/wait.h).
 *
 * "Furwocks", that is read-write locks made of futexes, are from Franke, Russell and Kirkwood,
 * "Fuss, Futexes and Furwocks" (OLS 2002).  The big-reader lock, one counter per CPU, was in Linux
 * 2.4 (brlock.h).
 *
 * Example
 *
 *     struct route_table {
 *         fw_brlock lock;
 *         int next_hop[256];
 *     };
 *
 *     int next_hop(struct route_table *t, unsigned char net)
 *     {
 *         int hop;
 *
 *         fw_brlock_rdlock(&t->lock);
 *         hop = t->next_hop[net];
 *         fw_brlock_rdunlock(&t->lock);
 *         return hop;
 *     }
 *
 *     void set_route(struct route_table *t, unsigned char net, int hop)
 *     {
 *         fw_brlock_wrlock(&t->lock);
 *         t->next_hop[net] = hop;
 *         fw_brlock_wrunlock(&t->lock);
 *     }
 */
typedef struct FW_CAPABILITY("read-write lock") fw_brlock {
    uint32_t owner_;    /* internal, as is all of it: doc/design/brlock.md */
    uint32_t counters_; /* how many per-CPU counters there are; 0: none */
    struct fw_brlock_lines_ *lines_;
} fw_brlock;

/* Makes *l a free lock.  Returns 0, or ENOMEM. */
FW_API int fw_brlock_init(fw_brlock *l) FW_ABI_NAME_(fw_brlock_init);

/*
 * Frees what init allocated.  No thread may hold the lock or be about to ask for it; it waits for
 * threads that are still leaving a release.
 */
FW_API void fw_brlock_destroy(fw_brlock *l);

/*
 * Frees what init allocated if no thread holds the lock: 0.  EBUSY, with no effect, if one does,
 * or a writer waits; also in a child of fork, for what other threads of its parent held.  Here,
 * too, no thread may ask for the lock meanwhile: while readers come and go, one that holds it
 * could be missed.
 */
FW_NODISCARD FW_API int fw_brlock_trydestroy(fw_brlock *l);

/*
 * Takes a read lock if no writer holds the lock or waits for it.  Returns 0 or EBUSY; never waits.
 */
FW_NODISCARD FW_API int fw_brlock_tryrdlock(fw_brlock *l) FW_TRY_ACQUIRE_SHARED(0, l);

/* Takes a read lock, waiting for writers if need be. */
FW_API void fw_brlock_rdlock(fw_brlock *l) FW_ACQUIRE_SHARED(l);

/*
 * Takes a read lock, waiting until the deadline at most.  Returns 0; ETIMEDOUT if the deadline has
 * passed; EINVAL if the caller must wait and the deadline is malformed (furwock/bits/deadline.h).
 */
FW_NODISCARD FW_API int fw_brlock_timedrdlock(fw_brlock *l, const fw_deadline *deadline)
    FW_TRY_ACQUIRE_SHARED(0, l);

/*
 * Takes a read lock with a wait policy (NULL: the process default) and a deadline (NULL: none).
 * Results as for fw_brlock_timedrdlock; EINVAL also for a malformed policy.
 */
FW_NODISCARD FW_API int fw_brlock_rdlock_policy(fw_brlock *l, const fw_wait_policy *policy,
                                                const fw_deadline *deadline)
    FW_TRY_ACQUIRE_SHARED(0, l);

/* Releases a read lock; the last reader that a writer waits for wakes it. */
FW_API void fw_brlock_rdunlock(fw_brlock *l) FW_RELEASE_SHARED(l);

/*
 * Takes the lock for writing if no thread holds it.  Returns 0 or EBUSY. Never waits, but if it has
 * seen no holder it keeps readers out for the microseconds that it takes to be sure.
 */
FW_NODISCARD FW_API int fw_brlock_trywrlock(fw_brlock *l) FW_TRY_ACQUIRE(0, l);

/* Takes the lock for writing, waiting for other writers, then for the readers inside. */
FW_API void fw_brlock_wrlock(fw_brlock *l) FW_ACQUIRE(l);

/*
 * Takes the lock for writing, waiting until the deadline at most.  Returns 0; ETIMEDOUT if the
 * deadline has passed: then readers are admitted again; EINVAL if the caller must wait and the
 * deadline is malformed.
 */
FW_NODISCARD FW_API int fw_brlock_timedwrlock(fw_brlock *l, const fw_deadline *deadline)
    FW_TRY_ACQUIRE(0, l);

/*
 * Takes the lock for writing with a wait policy (NULL: the process default) and a deadline (NULL:
 * none).  Results as for fw_brlock_timedwrlock; EINVAL also for a malformed policy.
 */
FW_NODISCARD FW_API int fw_brlock_wrlock_policy(fw_brlock *l, const fw_wait_policy *policy,
                                                const fw_deadline *deadline) FW_TRY_ACQUIRE(0, l);

/* Releases the write lock, which the caller holds: admits waiting readers. */
FW_API void fw_brlock_wrunlock(fw_brlock *l) FW_RELEASE(l);

/*
 * The kernel thread id of the writer that holds the lock, or has closed it and waits for readers to
 * leave; 0 if there is none.  A racy snapshot, for tools and assertions.
 */
FW_API pid_t fw_brlock_owner(const fw_brlock *l);

/* Does the calling thread hold the lock for writing?  Exact, as fw_mutex_is_held_by_me. */
FW_NODISCARD FW_API bool fw_brlock_is_held_by_me(const fw_brlock *l);

/* Aborts the program, with a diagnostic as for misuse, unless fw_brlock_is_held_by_me. */
FW_API void fw_brlock_assert_held(const fw_brlock *l) FW_ASSERT_CAPABILITY(l);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/brlock.h>
#endif

FW_END_DECLS

#endif
