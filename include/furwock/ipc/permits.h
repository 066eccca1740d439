/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_IPC_UNITS_H
#define FURWOCK_IPC_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/annotate.h>
#include <furwock/bits/api.h>
#include <furwock/bits/deadline.h>
#include <furwock/wait.h>

FW_BEGIN_DECLS

/*
 * fw_ipc_units: a semaphore between processes whose units have holders, and come back when a holder
 * dies.
 *
 * There is a fixed number of units, numbered from 0, which threads borrow: licences, connections,
 * slots of a table.  A thread can hold several.  fw_ipc_units_wait and fw_ipc_units_post are
 * those of a semaphore; fw_ipc_units_take and fw_ipc_units_give say which unit it is, and whether
 * its last holder died with it.
 *
 * Rules
 *  - It lies in a region (furwock/ipc/region.h), aligned to 8 bytes, in fw_ipc_units_size(n) bytes.
 *    Processes may have the region at different addresses.
 *  - Only the thread that has borrowed a unit gives it back.
 *  - Whatever a thread holds when it dies (killed, ended, exec) is there for others at once, also
 *    for those who already sleep.  Whoever dies in a call, at any instruction,
 *    holds a unit or does not; none is ever lost.
 *  - A stopped holder (SIGSTOP, a debugger) is not dead, and keeps what it has.
 *  - The holder is a thread.  After fork the child holds nothing: what the parent holds stays the
 *    parent's.
 *  - A running thread may take a unit before the woken waiter does.
 *  - Taking a unit synchronises with giving it back: acquire and release, as in C11.
 *  - No call is a cancellation point or fails by EINTR.  Not for signal handlers.
 *
 * It costs a look at the units, until one is found that is free; with very many units, of which
 * nearly all are lent, that is a long look.
 *
 * Errors are returned.  Every call that changes something can answer:
 *   EINVAL    it lies in no region that this process has joined, is misaligned, or was not made
 *   EAGAIN    the region has no line left for another thread
 *   EUCLEAN   it has been written over; what makes no sense is left as it is
 *
 * Example: connections, each of which is used by one worker at a time
 *
 *     struct connection {
 *         unsigned requests;
 *         int is_fresh;
 *     };
 *
 *     int request(fw_ipc_units *lent, struct connection *all)
 *     {
 *         uint32_t i;
 *         int error = fw_ipc_units_take(lent, &i, NULL, NULL);
 *         if (error == EOWNERDEAD) {
 *             all[i].is_fresh = 1;
 *             error = 0;
 *         }
 *         if (error != 0)
 *             return error;
 *         all[i].requests++;
 *         return fw_ipc_units_give(lent, i);
 *     }
 */
typedef struct fw_ipc_units {
    uint64_t queue_; /* internal, and the units behind it: src/ipc/units.c */
    uint64_t made_;
    uint32_t luck_;
    uint32_t spare_[11];
} fw_ipc_units;

/* The largest number of units. */
#define FW_IPC_UNITS_MAX 65535u

/* How many bytes n units need; 0 where n is 0 or above FW_IPC_UNITS_MAX. */
FW_API size_t fw_ipc_units_size(uint32_t n);

/*
 * Makes n units of zeroed memory; none is lent.  Several processes may do so at once, and one that
 * was killed over it does no harm: what has been made with the same number is left as it is.
 *   0
 *   EINVAL   n is 0 or above FW_IPC_UNITS_MAX, or as above
 *   EEXIST   it was made with another number
 *   ENOSPC   the region ends before the last unit
 */
FW_API int fw_ipc_units_init(fw_ipc_units *u, uint32_t n);

/* Takes a unit if one is free or its holder is dead.  0; EBUSY: there is none.  Never waits. */
FW_API int fw_ipc_units_trywait(fw_ipc_units *u);

/* Takes a unit, waiting for one if need be.  A thread that holds all of them waits for ever. */
FW_API int fw_ipc_units_wait(fw_ipc_units *u);

/* The same until the deadline at most: ETIMEDOUT.  EINVAL also for a malformed deadline. */
FW_API int fw_ipc_units_timedwait(fw_ipc_units *u, const fw_deadline *deadline);

/* The same with a waiting policy (NULL: the process default) and a deadline (NULL: none). */
FW_API int fw_ipc_units_wait_policy(fw_ipc_units *u, const fw_wait_policy *policy,
                                    const fw_deadline *deadline);

/*
 * The same, and says which unit.
 *   0            *unit is the caller's
 *   EOWNERDEAD   *unit is the caller's, and whoever had it before died with it
 *   ETIMEDOUT    no unit
 */
FW_API int fw_ipc_units_take(fw_ipc_units *u, uint32_t *unit, const fw_wait_policy *policy,
                             const fw_deadline *deadline);

/* Gives a unit of the caller back, whichever.  EPERM: it holds none. */
FW_API int fw_ipc_units_post(fw_ipc_units *u);

/* Gives this one back.  EPERM: the caller does not hold it. */
FW_API int fw_ipc_units_give(fw_ipc_units *u, uint32_t unit);

/* At a glimpse: how many units there are, how many of them could be taken, and how many the caller
 * holds; 0 where it cannot be known. */
FW_API uint32_t fw_ipc_units_count(const fw_ipc_units *u);
FW_API uint32_t fw_ipc_units_value(const fw_ipc_units *u);
FW_API uint32_t fw_ipc_units_mine(const fw_ipc_units *u);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/ipc/units.h>
#endif

FW_END_DECLS

#endif
