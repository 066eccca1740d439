/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_IPC_SEM_H
#define FURWOCK_IPC_SEM_H

#include <stdint.h>

#include <furwock/bits/annotate.h>
#include <furwock/bits/api.h>
#include <furwock/bits/deadline.h>
#include <furwock/wait.h>

FW_BEGIN_DECLS

/*
 * fw_ipc_sem: a counting semaphore between processes that the death of a process cannot break. 16
 * bytes; all zeroes when it has no units and no limit.
 *
 * The semaphore has a number of units, its value.  A wait takes one, or waits until there is one; a
 * post adds one.  Units have no owners: a unit that a process took, and would have given back, is
 * lost when the process dies.  That is right if one process posts what another takes (the number of
 * jobs in a queue).  For units that are lent and must come back: furwock/ipc/permits.h.
 *
 * Rules
 *  - It lies in a region (furwock/ipc/region.h), aligned to 8 bytes.  Processes may have the region
 *    at different addresses.
 *  - A call of a process that is killed, at any instruction, has completed or had no effect: a post
 *    has added its units or not, a wait has taken one or not.  No wake-up is lost with a dead
 *    process: another waiter gets it.
 *  - A post beyond the maximum changes nothing and returns EOVERFLOW.
 *  - A running thread may take a unit before the woken waiter does.
 *  - A wait synchronises with the posts before it: acquire and release, as in C11.
 *  - The memory must stay until all calls on it have returned.
 *  - No call is a cancellation point or fails with EINTR.  fw_ipc_sem_post, fw_ipc_sem_post_n,
 *    fw_ipc_sem_trywait and fw_ipc_sem_value are safe in signal handlers.
 *
 * Errors are returned:
 *   EINVAL    if it would have to wait: it lies in no region that this process has joined; in every
 *             call: it is misaligned
 *   EAGAIN    if it would have to wait: the region has no participant slot left for another thread
 *   EUCLEAN   it has been overwritten; it is left as it is
 *
 * Example: a feeder and workers
 *
 *     struct works {
 *         fw_ipc_sem jobs;
 *         unsigned done;
 *     };
 *
 *     int feed(struct works *w, unsigned n)
 *     {
 *         return fw_ipc_sem_post_n(&w->jobs, n);
 *     }
 *
 *     int work(struct works *w)
 *     {
 *         int error = fw_ipc_sem_wait(&w->jobs);
 *         if (error == 0)
 *             __atomic_fetch_add(&w->done, 1, __ATOMIC_RELAXED);
 *         return error;
 *     }
 */
typedef struct fw_ipc_sem {
    uint64_t word_; /* internal: src/ipc/sem.c */
    uint32_t made_;
    uint32_t spin_;
} fw_ipc_sem;

/* The largest value, and the maximum if none is given. */
#define FW_IPC_SEM_MAX 0x7fffffffu

/*
 * Makes zeroed memory a semaphore of `value` units with a maximum.  Several processes may do so at
 * once, and one that is killed meanwhile does no harm: a semaphore that has been made with the same
 * maximum is left as it is.
 *   0
 *   EINVAL   max is 0 or above FW_IPC_SEM_MAX, or value above max, or as above
 *   EEXIST   it was made with another maximum
 */
FW_API int fw_ipc_sem_init(fw_ipc_sem *s, uint32_t value, uint32_t max);

/* Takes a unit if there is one. 0; EAGAIN if there is none.  Never waits. */
FW_NODISCARD FW_API int fw_ipc_sem_trywait(fw_ipc_sem *s);

/* Takes a unit, waiting for one if need be. */
FW_NODISCARD FW_API int fw_ipc_sem_wait(fw_ipc_sem *s);

/*
 * Takes a unit, waiting until the deadline at most: ETIMEDOUT.  EINVAL also for a malformed
 * deadline.
 */
FW_NODISCARD FW_API int fw_ipc_sem_timedwait(fw_ipc_sem *s, const fw_deadline *deadline);

/*
 * Takes a unit with a wait policy (NULL: the process default) and a deadline (NULL: none); results
 * as for fw_ipc_sem_timedwait.  Also ECANCELED and EINTR, if the policy asks for that:
 * furwock/ipc/interrupt.h.
 */
FW_NODISCARD FW_API int fw_ipc_sem_wait_policy(fw_ipc_sem *s, const fw_wait_policy *policy,
                                               const fw_deadline *deadline);

/* Adds a unit.  EOVERFLOW if the value is the maximum already. */
FW_API int fw_ipc_sem_post(fw_ipc_sem *s);

/* Adds n units in one step.  EOVERFLOW if that would exceed the maximum: none is added. */
FW_API int fw_ipc_sem_post_n(fw_ipc_sem *s, uint32_t n);

/* A snapshot of the number of units. */
FW_API uint32_t fw_ipc_sem_value(const fw_ipc_sem *s);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/ipc/sem.h>
#endif

FW_END_DECLS

#endif
