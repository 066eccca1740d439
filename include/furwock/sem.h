/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_SEM_H
#define FURWOCK_SEM_H

#include <errno.h>
#include <stdint.h>

#include <furwock/bits/annotate.h>
#include <furwock/bits/api.h>
#include <furwock/bits/atomic.h>
#include <furwock/bits/deadline.h>
#include <furwock/wait.h>

FW_BEGIN_DECLS

/*
 * fw_sem: a counting semaphore for the threads of one process.  24 bytes; all zeroes when it has no
 * units and no limit.
 *
 * The semaphore has a number of units, its value.  A wait takes one, or waits until there is one; a
 * post adds one.
 *
 * Rules
 *  - A semaphore is ready when its bytes are zero (value 0, maximum FW_SEM_MAX), after FW_SEM_INIT,
 *    or after fw_sem_init.  It needs no destructor and allocates nothing.
 *  - No unit is lost, whatever time-outs, signals and spurious wakes do: a wait that gives up
 *    consumes no unit and cannot swallow another waiter's wake-up.
 *  - A post beyond the maximum changes nothing and returns EOVERFLOW.  A maximum of 1 makes a
 *    binary semaphore.
 *  - A post is greedy (it avoids convoys): a running thread may take the unit before the woken
 *    waiter does.  No waiter starves: one that was woken and has lost such races for about half a
 *    millisecond gets the next unit reserved for it, which no other thread can take; one
 *    reservation at a time.  Otherwise sleepers are woken in the order in which they went to sleep
 *    (among equal priorities).
 *  - After its atomic operation a post does not touch the semaphore: the thread that took the unit
 *    may free the semaphore if no other thread will use it.
 *  - A wait synchronises with the posts before it: acquire and release, as in C11.  So does a post
 *    that returns EOVERFLOW: a thread that takes one of the units that were in the way sees what
 *    was written before it.
 *  - After fork(3) the child has the value of the moment of the fork, and no waiters.
 *  - At most 1 048 575 threads may wait at a time; one more aborts the program.
 *  - Tasks may wait for it without a thread, beside threads: furwock/await.h.
 *  - Not for memory shared between processes; all code that shares it uses one copy of the library.
 *
 * No call is a cancellation point or fails with EINTR.  Calls that may block wait as the wait
 * policy says (furwock/wait.h).  fw_sem_post, fw_sem_post_n, fw_sem_trywait and fw_sem_value are
 * safe in signal handlers.
 *
 * Semaphores are the first use of fast user-level locks: Franke, Russell and Kirkwood, "Fuss,
 * Futexes and Furwocks" (OLS 2002), section 3.
 *
 * Example: at most four threads at a time
 *
 *     static fw_sem slots = FW_SEM_INIT(4);
 *
 *     void with_a_slot(void (*work)(void *), void *arg)
 *     {
 *         fw_sem_wait(&slots);
 *         work(arg);
 *         fw_sem_post(&slots);
 *     }
 */
typedef struct fw_sem {
    uint64_t state_; /* internal, as is all of it: doc/design/sem.md */
    uint32_t limit_; /* FW_SEM_MAX ^ maximum, so that zeroes mean no limit */
    uint32_t guess_; /* what state_ probably is; when it is not, the fast path fails */
    uint32_t spin_;
    uint32_t unused_;
} fw_sem;

/* The largest value, and the maximum if none is given. */
#define FW_SEM_MAX 0x7fffffffu

/* A semaphore with n units; n is at most FW_SEM_MAX. */
/* clang-format off */
#define FW_SEM_INIT(n) {(n), 0, (n), 0, 0}
/* clang-format on */

/* Makes *s a semaphore.  Returns 0, or EINVAL: max is 0 or above FW_SEM_MAX, or value above max. */
FW_API int fw_sem_init(fw_sem *s, uint32_t value, uint32_t max);

/* Internal: the same calls, once the fast path has failed. */
FW_API int fw_sem_trywait_slow_(fw_sem *s) FW_ABI_NAME_(fw_sem_trywait_slow);
FW_API void fw_sem_wait_slow_(fw_sem *s) FW_ABI_NAME_(fw_sem_wait_slow);
FW_API int fw_sem_post_slow_(fw_sem *s, uint32_t n) FW_ABI_NAME_(fw_sem_post_slow);

/*
 * Internal: n > 0 and no waiters, n -> n - 1.  Loading the word that the last operation has written
 * takes longer than all the rest, so it guesses the value (doc/design/sem.md).
 */
static inline bool fw_sem_take_(fw_sem *s)
{
    uint64_t w = fw_load32_relaxed(&s->guess_);

    if (__builtin_expect(w - 1 >= FW_SEM_MAX, 0))
        return false;
    fw_store32_relaxed(&s->guess_, (uint32_t)w - 1);
    return fw_cas64_acquire(&s->state_, &w, w - 1); /* F:sem-trusts-guess */
}

/*
 * Takes a unit if there is one that is not reserved.  Returns 0, or EAGAIN if there is none: also
 * while fw_sem_value is 1, and that unit is reserved for a waiter.  Never waits.
 */
FW_NODISCARD FW_INLINE int fw_sem_trywait(fw_sem *s);
#ifndef FW_CALLED_
FW_INLINE int fw_sem_trywait(fw_sem *s)
{
    return __builtin_expect(fw_sem_take_(s), 1) ? 0 : fw_sem_trywait_slow_(s);
}
#endif

/* Takes a unit, waiting for one if need be. */
FW_INLINE void fw_sem_wait(fw_sem *s);
#ifndef FW_CALLED_
FW_INLINE void fw_sem_wait(fw_sem *s)
{
    if (__builtin_expect(!fw_sem_take_(s), 0))
        fw_sem_wait_slow_(s);
}
#endif

/*
 * Takes a unit, waiting until the deadline at most.  Returns 0; ETIMEDOUT if the deadline has
 * passed; EINVAL if there is no unit and the deadline is malformed (furwock/bits/deadline.h).
 */
FW_NODISCARD FW_API int fw_sem_timedwait(fw_sem *s, const fw_deadline *deadline);

/*
 * Takes a unit with a wait policy (NULL: the process default) and a deadline (NULL: none).
 * Results as for fw_sem_timedwait; EINVAL also for a malformed policy.
 */
FW_NODISCARD FW_API int fw_sem_wait_policy(fw_sem *s, const fw_wait_policy *policy,
                                           const fw_deadline *deadline);

/*
 * Adds a unit, and wakes a waiter if there is one that has not been woken for another unit.
 * Returns 0, or EOVERFLOW if the value is the maximum already.
 */
FW_INLINE int fw_sem_post(fw_sem *s);
#ifndef FW_CALLED_
FW_INLINE int fw_sem_post(fw_sem *s)
{
    uint64_t w = fw_load32_relaxed(&s->guess_);

    if (__builtin_expect(w < (s->limit_ ^ FW_SEM_MAX), 1)) {
        fw_store32_relaxed(&s->guess_, (uint32_t)w + 1);
        if (__builtin_expect(fw_cas64_release(&s->state_, &w, w + 1), 1))
            return 0;
    }
    return fw_sem_post_slow_(s, 1);
}
#endif

/*
 * Adds n units in one step, and wakes up to n waiters by one system call.  Returns 0, or EOVERFLOW
 * if that would exceed the maximum: then none is added.
 */
FW_API int fw_sem_post_n(fw_sem *s, uint32_t n);

/* The number of units: a snapshot, which may be out of date when the caller reads it. */
FW_API uint32_t fw_sem_value(const fw_sem *s);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/sem.h>
#endif

FW_END_DECLS

#endif
