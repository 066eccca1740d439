/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BRLOCK_H
#define FURWOCK_BRLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <furwock/bits/annotate.h>
#include <furwock/bits/api.h>
#include <furwock/bits/deadline.h>
#include <furwock/wait.h>

FW_BEGIN_DECLS

/*
 * fw_brlock: the big-reader lock, for data that is almost only read, by the threads of one process.
 *
 * Readers that come while no writer is there share no cache line that any of them writes, so they
 * scale with the processors: each counts itself on a line of its processor, without an atomic
 * instruction where the kernel helps (x86-64, glibc 2.35, Linux 5.10).  Elsewhere a thread counts
 * itself on one of several lines by one atomic instruction.  Writers pay for it: each asks the
 * kernel to interrupt all processors that run the process (a membarrier: microseconds), and looks
 * at all lines.  doc/design/brlock.md says how; doc/guide/choosing.md when it pays.
 *
 * Rules
 *  - A lock is made by fw_brlock_init, which allocates a cache line per processor and some more,
 *    and unmade by fw_brlock_destroy.  There is no static initialiser: memory would have to be
 *    found inside the first read lock, where failure could not be reported.
 *  - Any number of readers, or one writer, and phase-fair: a writer that waits keeps new readers
 *    out, so it waits for the readers that came before it; and readers that wait are let in before
 *    the next writer, so a reader waits for one writer at most.
 *  - A read lock may be released by another thread of the process than took it only where the
 *    kernel helps; do not rely on it.  The write lock belongs to the thread that took it.
 *  - A thread must not take a read lock that it holds already: it would wait for a writer that
 *    waits for it.  (fw_brlock_tryrdlock does not wait, and may be used.)
 *  - Errors that stop the program (abort) with a line on standard error: the writer asks for the
 *    lock again, for reading or writing; a write lock is released by a thread that does not hold
 *    it; a lock is destroyed while it is held.  The release of a read lock that nobody holds is
 *    seen where lines are shared by atomic instructions, or a writer waits, and is silent
 *    corruption elsewhere.
 *  - Whoever knows that nobody holds the lock, and nobody will ask for it, may destroy it and free
 *    its memory: a release does not touch them once it has let others go on, or destroy waits.
 *  - The lock's own 16 bytes are read by every reader, and written by writers only.  What lies on
 *    the same cache line should be written as rarely.
 *  - After fork(3) the child's only thread holds what the forking thread held, and may release it.
 *    What another thread held, for reading or writing, stays held in the child for ever.  A lock
 *    that another thread was taking for writing, or waiting for, must be left alone by the child.
 *    Not for the child of vfork, and not for memory shared between processes.
 *    It cannot destroy a lock that is held so: fw_brlock_trydestroy says EBUSY, and the class of
 *    C++ leaves such a lock alone where the child exits.
 *  - A lock held by a thread that ends is held for ever.
 *  - A program that installs a system call filter after it has made such locks must allow
 *    membarrier.  If it is refused the next writer stops the program: there is no other way to know
 *    who reads.  (Locks made after the filter count by atomic instructions, and need none.)
 *  - On x86, non-temporal stores need an sfence before a release: furwock/mutex.h.
 *
 * No call is a cancellation point or fails by EINTR.  The try calls and the releases are safe in a
 * signal handler.  Where the calls may wait, the thread waits as the waiting policy says
 * (furwock/wait.h).
 *
 * "Furwocks", that is read-write locks made of futexes, are from Franke, Russell and Kirkwood,
 * "Fuss, Futexes and Furwocks" (OLS 2002).  The big-reader lock, one counter per processor, was in
 * Linux 2.4 (brlock.h).
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
typedef struct fw_brlock {
    uint32_t gate_;     /* internal, as is all of it: doc/design/brlock.md */
    uint32_t counters_; /* how many counters of processors there are; 0: none */
    struct fw_brlock_lines_ *lines_;
} fw_brlock;

/* Makes *l a free lock.  Returns 0, or ENOMEM. */
FW_API int fw_brlock_init(fw_brlock *l);

/*
 * Gives back what init took.  Nobody may hold the lock or be about to ask for it; threads that are
 * still on their way out of a release are waited for.
 */
FW_API void fw_brlock_destroy(fw_brlock *l);

/*
 * The same where nobody holds the lock: 0.  EBUSY, and nothing has happened, where somebody does,
 * or a writer waits; also in a child of fork, for what the threads of its parent had.  Here, too,
 * nobody may ask for the lock meanwhile: beside readers that come and go, one that holds it could
 * be overlooked.
 */
FW_API int fw_brlock_trydestroy(fw_brlock *l);

/* Takes a read lock where no writer holds or awaits the lock.  Returns 0 or EBUSY; never waits. */
FW_API int fw_brlock_tryrdlock(fw_brlock *l);

/* Takes a read lock, waiting for writers if need be. */
FW_API void fw_brlock_rdlock(fw_brlock *l);

/*
 * Takes a read lock, waiting until the deadline at most.  Returns 0; ETIMEDOUT where the deadline
 * has passed; EINVAL where one must wait and the deadline is malformed (furwock/bits/deadline.h).
 */
FW_API int fw_brlock_timedrdlock(fw_brlock *l, const fw_deadline *deadline);

/*
 * The same with a waiting policy for this call (NULL: the process default) and a deadline (NULL:
 * none).  EINVAL also for a malformed policy.
 */
FW_API int fw_brlock_rdlock_policy(fw_brlock *l, const fw_wait_policy *policy,
                                   const fw_deadline *deadline);

/* Releases a read lock; the last reader that a writer waits for wakes it. */
FW_API void fw_brlock_rdunlock(fw_brlock *l);

/*
 * Takes the lock for writing where nobody has it.  Returns 0 or EBUSY.  Never waits, but where it
 * has seen nobody inside it keeps readers out for the microseconds that it takes to be sure.
 */
FW_API int fw_brlock_trywrlock(fw_brlock *l);

/* Takes the lock for writing, waiting for other writers, then for the readers inside. */
FW_API void fw_brlock_wrlock(fw_brlock *l);

/* The same with a deadline; with a policy and a deadline.  Answers as for reading. */
FW_API int fw_brlock_timedwrlock(fw_brlock *l, const fw_deadline *deadline);
FW_API int fw_brlock_wrlock_policy(fw_brlock *l, const fw_wait_policy *policy,
                                   const fw_deadline *deadline);

/* Releases the write lock, which the caller holds: readers that wait are let in. */
FW_API void fw_brlock_wrunlock(fw_brlock *l);

/*
 * The kernel thread id of the writer that holds the lock, or has closed it and waits for readers to
 * leave; 0 where there is none.  A glimpse, for tools and assertions.
 */
FW_API pid_t fw_brlock_owner(const fw_brlock *l);

/* Does the calling thread hold the lock for writing?  Exact, as fw_mutex_is_held_by_me. */
FW_API bool fw_brlock_is_held_by_me(const fw_brlock *l);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/brlock.h>
#endif

FW_END_DECLS

#endif
