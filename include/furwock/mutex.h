/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_MUTEX_H
#define FURWOCK_MUTEX_H

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
 * fw_mutex: mutual exclusion for the threads of one process.  Eight bytes, all zeroes when free.
 *
 * Rules
 *  - A mutex is ready when its bytes are zero: FW_MUTEX_INIT, a static variable, calloc.  It needs
 *    no destructor, allocates nothing, and may be freed by its owner once no other thread will ask
 *    for it: the release by the previous owner does not touch it any more.
 *  - The owner is known.  Locking a mutex that the caller holds, and unlocking one that it does not
 *    hold, are errors in the program: the library aborts it with a diagnostic on standard error
 *    that names the mutex, the caller and the owner, in every build.
 *  - fw_mutex_unlock is greedy (it avoids convoys): the mutex is free at once, and a running thread
 *    may take it before the woken waiter does.  No waiter starves: one that was woken and has lost
 *    that race for about half a millisecond makes the next release a direct hand-off.
 *  - fw_mutex_unlock_fair hands the mutex directly to a waiter, if there is one: later arrivals,
 *    including the caller, cannot barge in.  The waiter is the one that has slept longest, unless
 *    another that was already queued is awake and quicker.  (Threads with a real-time priority are
 *    woken before others.)  "futex_up_fair", Franke, Russell and Kirkwood, OLS 2002, section 3.1.4.
 *    Only queued threads count as waiters: a thread is queued once its spin budget is used up, or
 *    after half a millisecond if its policy never sleeps.
 *  - A task (furwock/await.h) may own a mutex like a thread: one that a thread acts as
 *    (fw_task_switch), or that has taken it asynchronously (fw_await_mutex).  Where this header
 *    says "thread" or "caller", it means the task then; relocking by a task, and unlocking what it
 *    does not hold, are noticed in any thread.
 *  - Operations that wait are given the mutex by the release, first come, first served: while no
 *    thread is queued, no running thread can take it in between.  Where threads are queued, too,
 *    they are served as above until the first operation has waited for half a millisecond, or until
 *    a fair release; from then on releases serve the two in turns.  So that operation lets at most
 *    one owner by after the present one, and a thread for which the next release is to be a
 *    hand-off at most one operation.  Real-time threads that sleep go before operations.
 *  - Taking a mutex synchronises with the release before it: acquire and release, as in C11.
 *  - After fork(3) the child's only thread holds what the forking thread held, and may unlock it.
 *    A mutex that another thread held at the fork stays held in the child forever.  This does not
 *    hold after _Fork, vfork or clone, and not after a fork in a signal handler that interrupted a
 *    lock call: such a child must not use the mutexes.
 *  - A mutex held by a thread that ends stays held, and waiters wait forever (or until their
 *    deadline), unless the kernel gives the thread id, and with it the ownership, to a new thread.
 *  - Not for memory shared between processes. All code that shares a mutex must use one copy of the
 *    library.
 *  - On x86 a release need not wait for non-temporal stores (_mm_stream_si128 and the like): code
 *    that uses them under a mutex must execute sfence before the release.
 *
 * No call but fw_mutex_await is a cancellation point, and none fails with EINTR.  Calls that may
 * block wait as the wait policy says (furwock/wait.h).
 *
 * Example
 *
 *     struct account {
 *         fw_mutex lock;
 *         long balance;
 *     };
 *
 *     void deposit(struct account *a, long amount)
 *     {
 *         fw_mutex_lock(&a->lock);
 *         a->balance += amount;
 *         fw_mutex_unlock(&a->lock);
 *     }
 */
typedef struct FW_CAPABILITY("mutex") fw_mutex {
    uint64_t state_; /* internal; its layout is described in doc/design/mutex.md and may change */
} fw_mutex;

#define FW_MUTEX_INIT {0}

/* Makes *m a free mutex; the same as storing FW_MUTEX_INIT. */
FW_API void fw_mutex_init(fw_mutex *m);

/*
 * Takes the mutex if it is free.  Returns 0, or EBUSY if any thread (the caller included) holds it
 * or it is being handed over.  Never waits; safe in a signal handler, together with the unlock that
 * follows.  (Try once there: a loop that tries until it succeeds may wait for the very thread that
 * the handler has interrupted; and not with a mutex for which operations wait, whose release goes
 * where the thread may just be.)
 */
FW_NODISCARD FW_API int fw_mutex_trylock(fw_mutex *m) FW_TRY_ACQUIRE(0, m);

/* Internal: lock, once the fast path has failed. */
FW_API void fw_mutex_lock_slow_(fw_mutex *m) FW_ABI_NAME_(fw_mutex_lock_slow);

/* Internal: free -> 1 -> id.  In every other state the lowest byte is 1 already, and stays so. */
static inline bool fw_mutex_take_(fw_mutex *m)
{
    uint32_t id = fw_self_();

    if (fw_xchg8_acquire((fw_byte_ *)&m->state_, FW_ID_HELD) != 0) /* F:plain-take */
        return false;
    fw_store32_relaxed((fw_half_ *)&m->state_, id); /* F:wide-signature */
    return true;
}

/*
 * Takes the mutex, waiting for it if need be.  The fast path is compiled into the caller because
 * that takes a quarter less time (doc/design/mutex.md).
 */
FW_INLINE void fw_mutex_lock(fw_mutex *m) FW_ACQUIRE(m) FW_NO_THREAD_SAFETY_ANALYSIS;
#ifndef FW_CALLED_
FW_INLINE void fw_mutex_lock(fw_mutex *m)
{
    if (__builtin_expect(!fw_mutex_take_(m), 0))
        fw_mutex_lock_slow_(m);
}
#endif

/*
 * Takes the mutex, waiting until the deadline at most.  Returns 0; ETIMEDOUT if the deadline has
 * passed; EINVAL if the mutex is not free and the deadline is malformed (furwock/bits/deadline.h).
 */
FW_NODISCARD FW_API int fw_mutex_timedlock(fw_mutex *m, const fw_deadline *deadline)
    FW_TRY_ACQUIRE(0, m);

/*
 * Takes the mutex with a wait policy (NULL: the process default) and a deadline (NULL: none).
 * Results as for fw_mutex_timedlock; EINVAL also for a malformed policy.
 */
FW_NODISCARD FW_API int fw_mutex_lock_policy(fw_mutex *m, const fw_wait_policy *policy,
                                             const fw_deadline *deadline) FW_TRY_ACQUIRE(0, m);

/* Releases the mutex, which the caller holds; wakes a waiter unless one has been woken already. */
FW_API void fw_mutex_unlock(fw_mutex *m) FW_RELEASE(m);

/* Hands the mutex directly to the longest waiter, or frees it if there is none. */
FW_API void fw_mutex_unlock_fair(fw_mutex *m) FW_RELEASE(m);

/*
 * --- Conditional critical sections --------------------------------------------------------------
 *
 * Waits, with the mutex, which the caller holds, until predicate(arg) is true: returns with the
 * mutex held, and then it is.  No condition variable is needed, nobody signals, and no wake is
 * lost or needless: each release of the mutex evaluates the predicates of those that wait here, and
 * hands the mutex to the first whose predicate is true.
 *  - A predicate reads what the mutex protects, and nothing else that changes.  Any thread that
 *    releases the mutex calls it, with the mutex held: it must be short, change nothing, call
 *    nothing of the mutex, and not wait, throw or exit.
 *  - The cost of each release of this mutex, while n threads wait here: n predicates at most, and a
 *    wait-queue bucket.  While nobody does, the mutex is as fast as ever.
 *  - Order: first come, first served among those whose predicate is true.  They are served before
 *    threads and operations that want the mutex, but at most by every second release while any of
 *    these wait, and after real-time threads that sleep.
 *  - The thread that waits may be cancelled (pthread_cancel); its clean-up handlers find the mutex
 *    held.
 * "Conditional critical regions": Hoare 1971, Brinch Hansen 1972; as Abseil and nsync have them.
 */
FW_API void fw_mutex_await(fw_mutex *m, bool (*predicate)(void *arg), void *arg) FW_REQUIRES(m);

/*
 * Waits as fw_mutex_await, until the deadline at most.  Returns 0: predicate(arg) is true; else
 * ETIMEDOUT: the deadline has passed, and it is false; or EINVAL: it is false, and the deadline is
 * malformed (furwock/bits/deadline.h).  The mutex is held in each case.
 */
FW_NODISCARD FW_API int fw_mutex_timedawait(fw_mutex *m, bool (*predicate)(void *arg), void *arg,
                                            const fw_deadline *deadline) FW_REQUIRES(m);

/*
 * The kernel thread id of the owner; 0 if the mutex is free, is being handed over, is held by a
 * task, or has just been taken by a thread that has not stored its id yet.  A racy snapshot, for
 * tools and assertions: it may be out of date when the caller reads it, unless the owner is the
 * caller.  In a forked child, a thread that lived before the fork keeps the id it had then.
 */
FW_API pid_t fw_mutex_owner(const fw_mutex *m);

/*
 * Does the calling thread, or the task that it acts as, hold the mutex?  Exact; for assertions.
 * After a fork, the child's thread holds what the forking thread held.
 */
FW_NODISCARD FW_API bool fw_mutex_is_held_by_me(const fw_mutex *m);

/* Aborts the program, with a diagnostic as for misuse, unless fw_mutex_is_held_by_me. */
FW_API void fw_mutex_assert_held(const fw_mutex *m) FW_ASSERT_CAPABILITY(m);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/mutex.h>
#endif

FW_END_DECLS

#endif
