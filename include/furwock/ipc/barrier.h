/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_IPC_BARRIER_H
#define FURWOCK_IPC_BARRIER_H

#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/annotate.h>
#include <furwock/bits/api.h>
#include <furwock/bits/deadline.h>
#include <furwock/ipc/mutex.h>
#include <furwock/wait.h>

FW_BEGIN_DECLS

/*
 * fw_ipc_barrier: a reusable barrier between processes: its participants, threads of any processes,
 * wait for each other in every phase.  If a participant dies, the barrier breaks or continues
 * without it.
 *
 * There is a party slot for each participant.  A thread takes one by its first wait, or before that
 * by fw_ipc_barrier_join, and has it until it leaves or dies.  A phase ends when all slots are
 * taken and all participants have arrived.  What happens if a participant dies before it has
 * arrived is chosen when the barrier is made:
 *   FW_IPC_BARRIER_FAIL    the barrier breaks: all waiters and all later calls get EOWNERDEAD,
 *                          until it is reset
 *   FW_IPC_BARRIER_GO_ON   the others go on without it
 *
 * Rules
 *  - It lies in a region (furwock/ipc/region.h), aligned to 8 bytes, in fw_ipc_barrier_size(n)
 *    bytes.  Processes may have the region at different addresses.
 *  - Whatever a participant did before it arrived is visible to all waiters once they return.
 *  - All waiters of a phase get the same result: it has ended, or the barrier is broken.  (A thread
 *    that is stopped while the barrier breaks and is reset FW_IPC_BARRIER_RESETS times is told that
 *    it is broken.)
 *  - A thread that is killed in a call, at any instruction, has arrived or has not.  The others
 *    learn of its death at once.
 *  - A process that dies before its first call is no participant yet, and its death is not noticed:
 *    the others wait for one more.  So join early, or wait with a deadline.
 *  - A new thread may take the slot of one that has left, or (FW_IPC_BARRIER_GO_ON) died; from then
 *    on the others wait for it, too.
 *  - A stopped participant (SIGSTOP, a debugger) is not dead: the others wait.
 *  - A participant is a thread.  A forked child is none, and exec ends one.
 *  - No call is a cancellation point or fails with EINTR. Not for signal handlers.
 *
 * Errors are returned.  Every call that may wait or change something can return:
 *   EINVAL      it lies in no region that this process has joined, is misaligned, or was not made
 *   EAGAIN      the region has no participant slot left for another thread
 *   EBUSY       the caller has no party slot, and all are taken
 *   EOWNERDEAD  a participant died, and the barrier is broken
 *   EUCLEAN     it has been overwritten; it is left as it is
 *
 * Example: two steps of a computation in several processes, repeated if one of them dies
 *
 *     struct grid {
 *         int first[3], second[3];
 *     };
 *
 *     int compute(fw_ipc_barrier *step, struct grid *g, int me)
 *     {
 *         int error;
 *
 *         g->first[me] = me + 1;
 *         error = fw_ipc_barrier_wait(step);
 *         if (error > 0)
 *             return error;
 *         g->second[me] = g->first[0] + g->first[1] + g->first[2];
 *         error = fw_ipc_barrier_wait(step);
 *         return error == FW_IPC_BARRIER_SERIAL ? 0 : error;
 *     }
 */
typedef struct fw_ipc_barrier {
    uint64_t round_; /* internal, and the party slots behind it: src/ipc/barrier_word.h */
    uint64_t made_;
    uint64_t history_;
    uint32_t spin_;
    uint32_t spare_;
    uint64_t serial_[4];
} fw_ipc_barrier;

/*
 * What fw_ipc_barrier_wait returns to one thread of each phase: exactly one of those that wait in
 * fw_ipc_barrier_wait (timedwait, wait_policy), even if a thread that leaves or only arrives ends
 * the phase; to none if that thread is killed before it returns.  (A thread that is stopped while
 * the barrier breaks and is reset FW_IPC_BARRIER_SERIALS times is not the serial thread of its
 * phase.)
 */
#define FW_IPC_BARRIER_SERIAL (-1)
#define FW_IPC_BARRIER_SERIALS 4u

/* The largest number of participants. */
#define FW_IPC_BARRIER_MAX 4096u

/* After this many resets it is no longer known whether a phase had ended before them. */
#define FW_IPC_BARRIER_RESETS 53u

typedef enum fw_ipc_barrier_mode {
    FW_IPC_BARRIER_FAIL = 0,
    FW_IPC_BARRIER_GO_ON = 1
} fw_ipc_barrier_mode;

/* How many bytes a barrier needs; 0 if parties is 0 or above FW_IPC_BARRIER_MAX. */
FW_API size_t fw_ipc_barrier_size(uint32_t parties);

/*
 * Makes a barrier of zeroed memory.  Several processes may do so at once, and one that is killed
 * meanwhile does no harm: what has been made with the same number and mode is left as it is.
 *   0
 *   EINVAL   parties is 0 or above FW_IPC_BARRIER_MAX, no such mode, or as above
 *   EEXIST   it was made with another number or mode
 *   ENOSPC   the region ends before the last party slot
 */
FW_API int fw_ipc_barrier_init(fw_ipc_barrier *b, uint32_t parties, fw_ipc_barrier_mode mode);

/* Takes a party slot, if the caller has none.  From then on its death is noticed. */
FW_API int fw_ipc_barrier_join(fw_ipc_barrier *b);

/*
 * Arrives, and waits until all have.
 *   FW_IPC_BARRIER_SERIAL   the phase has ended; returned to one of its waiters
 *   0 the phase has ended
 *   EDEADLK                 the caller has arrived for this phase already (fw_ipc_barrier_arrive)
 *   errors as above
 */
FW_API int fw_ipc_barrier_wait(fw_ipc_barrier *b);

/*
 * Arrives and waits, as fw_ipc_barrier_wait, until the deadline at most.  ETIMEDOUT: the caller
 * has not arrived, and is still a participant.  EINVAL also for a malformed deadline.
 */
FW_API int fw_ipc_barrier_timedwait(fw_ipc_barrier *b, const fw_deadline *deadline);

/*
 * Arrives and waits with a wait policy (NULL: the process default) and a deadline (NULL: none);
 * results as for fw_ipc_barrier_timedwait.  Also ECANCELED and EINTR, if the policy asks for that:
 * furwock/ipc/interrupt.h.
 */
FW_API int fw_ipc_barrier_wait_policy(fw_ipc_barrier *b, const fw_wait_policy *policy,
                                      const fw_deadline *deadline);

/* Arrives, and does not wait.  *token is for fw_ipc_barrier_await.  0, or an error as for wait. */
FW_API int fw_ipc_barrier_arrive(fw_ipc_barrier *b, uint64_t *token);

/*
 * Waits for the end of the phase that returned the token; for a thread that has not left since.  0
 * (never FW_IPC_BARRIER_SERIAL), or an error as above.
 */
FW_API int fw_ipc_barrier_await(fw_ipc_barrier *b, uint64_t token);

/*
 * Gives the party slot back: the others no longer wait for the caller.  EPERM: it has none.
 */
FW_API int fw_ipc_barrier_leave(fw_ipc_barrier *b);

/*
 * After a failure: the barrier is as new, in its next phase, with all slots free.  The surviving
 * participants take one again, and so do replacements for the dead. 0, also if it is not broken.
 */
FW_API int fw_ipc_barrier_reset(fw_ipc_barrier *b);

/* A snapshot of the number of the current phase, modulo 2^30. */
FW_API uint32_t fw_ipc_barrier_round(const fw_ipc_barrier *b);

/*
 * A participant that died and whose slot has not been taken since (until a reset); generation is
 * the number of the current phase. 0, ENOENT: there is none; EINVAL, EUCLEAN.
 */
FW_API int fw_ipc_barrier_death(const fw_ipc_barrier *b, fw_ipc_death *death);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/ipc/barrier.h>
#endif

FW_END_DECLS

#endif
