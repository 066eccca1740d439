/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_IPC_PERMITS_H
#define FURWOCK_IPC_PERMITS_H

#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/annotate.h>
#include <furwock/bits/api.h>
#include <furwock/bits/deadline.h>
#include <furwock/wait.h>

FW_BEGIN_DECLS

/*
 * fw_ipc_permits: a semaphore with owned permits, between processes; a dead owner's permits are
 * returned.
 *
 * There is a fixed number of permits, numbered from 0, which threads borrow: licences, connections,
 * slots of a table.  A thread can hold several.  fw_ipc_permits_wait and fw_ipc_permits_post are
 * those of a semaphore; fw_ipc_permits_take and fw_ipc_permits_give say which permit it is, and
 * whether its last holder died with it.
 *
 * Rules
 *  - It lies in a region (furwock/ipc/region.h), aligned to 8 bytes, in fw_ipc_permits_size(n)
 *    bytes.  Processes may have the region at different addresses.
 *  - Only the thread that has borrowed a permit gives it back.
 *  - The permits of a thread that dies (killed, ended, exec) are available to others at once, also
 *    to threads that already sleep.  A thread that dies in a call, at any instruction, holds a
 *    permit or does not; none is ever lost.
 *  - A stopped owner (SIGSTOP, a debugger) is not dead, and keeps its permits.
 *  - The owner is a thread.  After fork the child holds nothing: the parent keeps its permits.
 *  - A running thread may take a permit before the woken waiter does.
 *  - Taking a permit synchronises with giving it back: acquire and release, as in C11.
 *  - No call is a cancellation point or fails with EINTR. Not for signal handlers.
 *
 * A take scans the permits until it finds a free one; with very many permits, nearly all of them
 * taken, that is slow.
 *
 * Errors are returned.  Every call that changes something can return:
 *   EINVAL    it lies in no region that this process has joined, is misaligned, or was not made
 *   EAGAIN    the region has no participant slot left for another thread
 *   EUCLEAN   it has been overwritten; corrupt data are left as they are
 *
 * Example: connections, each of which is used by one worker at a time
 *
 *     struct connection {
 *         unsigned requests;
 *         int is_fresh;
 *     };
 *
 *     int request(fw_ipc_permits *lent, struct connection *all)
 *     {
 *         uint32_t i;
 *         int error = fw_ipc_permits_take(lent, &i, NULL, NULL);
 *         if (error == EOWNERDEAD) {
 *             all[i].is_fresh = 1;
 *             error = 0;
 *         }
 *         if (error != 0)
 *             return error;
 *         all[i].requests++;
 *         return fw_ipc_permits_give(lent, i);
 *     }
 */
typedef struct fw_ipc_permits {
    uint64_t queue_; /* internal, and the permits behind it: src/ipc/permits.c */
    uint64_t made_;
    uint32_t spin_;
    uint32_t spare_[11];
} fw_ipc_permits;

/* The largest number of permits. */
#define FW_IPC_PERMITS_MAX 65535u

/* How many bytes n permits need; 0 if n is 0 or above FW_IPC_PERMITS_MAX. */
FW_API size_t fw_ipc_permits_size(uint32_t n);

/*
 * Makes n free permits of zeroed memory. Several processes may do so at once, and one that is
 * killed meanwhile does no harm: what has been made with the same number is left as it is.
 *   0
 *   EINVAL   n is 0 or above FW_IPC_PERMITS_MAX, or as above
 *   EEXIST   it was made with another number
 *   ENOSPC   the region ends before the last permit
 */
FW_API int fw_ipc_permits_init(fw_ipc_permits *u, uint32_t n);

/* Takes a permit if one is free or its holder is dead.  0; EBUSY: there is none.  Never waits. */
FW_NODISCARD FW_API int fw_ipc_permits_trywait(fw_ipc_permits *u);

/* Takes a permit, waiting for one if need be.  A thread that holds all of them waits forever. */
FW_NODISCARD FW_API int fw_ipc_permits_wait(fw_ipc_permits *u);

/*
 * Takes a permit, waiting until the deadline at most: ETIMEDOUT.  EINVAL also for a malformed
 * deadline.
 */
FW_NODISCARD FW_API int fw_ipc_permits_timedwait(fw_ipc_permits *u, const fw_deadline *deadline);

/*
 * Takes a permit with a wait policy (NULL: the process default) and a deadline (NULL: none);
 * results as for fw_ipc_permits_timedwait.  Also ECANCELED and EINTR, if the policy asks for that:
 * furwock/ipc/interrupt.h.
 */
FW_NODISCARD FW_API int fw_ipc_permits_wait_policy(fw_ipc_permits *u, const fw_wait_policy *policy,
                                                   const fw_deadline *deadline);

/*
 * Takes a permit as fw_ipc_permits_wait_policy, and says which one.
 *   0            *permit is the caller's
 *   EOWNERDEAD   *permit is the caller's, and its previous owner died with it
 *   ETIMEDOUT    no permit
 */
FW_API int fw_ipc_permits_take(fw_ipc_permits *u, uint32_t *permit, const fw_wait_policy *policy,
                               const fw_deadline *deadline);

/* Gives back any one of the caller's permits.  EPERM: it holds none. */
FW_API int fw_ipc_permits_post(fw_ipc_permits *u);

/* Gives this one back.  EPERM: the caller does not hold it. */
FW_API int fw_ipc_permits_give(fw_ipc_permits *u, uint32_t permit);

/* How many permits there are; 0 if that cannot be determined. */
FW_API uint32_t fw_ipc_permits_count(const fw_ipc_permits *u);

/* How many of the permits could be taken: a snapshot; 0 also if that cannot be determined. */
FW_API uint32_t fw_ipc_permits_value(const fw_ipc_permits *u);

/* How many permits the calling thread holds; 0 also if that cannot be determined. */
FW_API uint32_t fw_ipc_permits_held_by_me(const fw_ipc_permits *u);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/ipc/permits.h>
#endif

FW_END_DECLS

#endif
