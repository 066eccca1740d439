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
 * fw_ipc_barrier: a number of threads of any processes, its parties, wait for each other, round
 * after round; and learn of it when one of them dies.
 *
 * There is a place for each party.  A thread takes a place by its first wait, or before that by
 * fw_ipc_barrier_join, and has it until it leaves or dies.  A round ends when all places are taken
 * and all parties have arrived.  What happens when a party dies before it has arrived is chosen
 * when the barrier is made:
 *   FW_IPC_BARRIER_FAIL    the barrier fails: all who wait, and all who come, get EOWNERDEAD, until
 *                          somebody resets it
 *   FW_IPC_BARRIER_GO_ON   the others go on without it
 *
 * Rules
 *  - It lies in a region (furwock/ipc/region.h), aligned to 8 bytes, in fw_ipc_barrier_size(n)
 *    bytes.  Processes may have the region at different addresses.
 *  - Whatever a party did before it arrived is seen by all who wait, once they return.
 *  - All who wait in a round get the same answer: it has ended, or it has failed.  (A thread that
 *    is stopped while the barrier fails and is reset FW_IPC_BARRIER_RESETS times is told that it
 *    failed.)
 *  - Whoever is killed in a call, at any instruction, has arrived or has not.  The others hear of
 *    it at once.
 *  - A process that dies before its first call is no party yet, and nobody knows of it: the others
 *    wait for one more.  So join early, or wait with a deadline.
 *  - A newcomer may take the place of one who has left, or (FW_IPC_BARRIER_GO_ON) died; from then
 *    on the others wait for it, too.
 *  - A stopped party (SIGSTOP, a debugger) is not dead: the others wait.
 *  - The party is a thread.  A forked child is none, and exec ends one.
 *  - No call is a cancellation point or fails by EINTR.  Not for signal handlers.
 *
 * Errors are returned.  Every call that may wait or change something can answer:
 *   EINVAL      it lies in no region that this process has joined, is misaligned, or was not made
 *   EAGAIN      the region has no line left for another thread
 *   EBUSY       the caller has no place, and all are taken
 *   EOWNERDEAD  a party died, and the barrier has failed
 *   EUCLEAN     it has been written over; it is left as it is
 *
 * Example: two steps of a computation in several processes, done anew where one of them dies
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
    uint64_t round_; /* internal, and the places behind it: src/ipc/barrier_word.h */
    uint64_t made_;
    uint64_t past_;
    uint32_t luck_;
    uint32_t spare_;
    uint64_t serial_[4];
} fw_ipc_barrier;

/*
 * What fw_ipc_barrier_wait returns to one thread of each round: exactly one of those who wait for
 * it in fw_ipc_barrier_wait (timedwait, wait_policy) and return, whoever ends the round: also one
 * that leaves, or only arrives.  To none where that one is killed before it returns.  (A thread
 * that is stopped while the barrier fails and is reset FW_IPC_BARRIER_SERIALS times is not the
 * serial one of its round.)
 */
#define FW_IPC_BARRIER_SERIAL (-1)
#define FW_IPC_BARRIER_SERIALS 4u

/* The most parties that a barrier can have. */
#define FW_IPC_BARRIER_MAX 4096u

/* After so many resets nobody knows any more whether a round had ended before them. */
#define FW_IPC_BARRIER_RESETS 53u

typedef enum fw_ipc_barrier_mode {
    FW_IPC_BARRIER_FAIL = 0,
    FW_IPC_BARRIER_GO_ON = 1
} fw_ipc_barrier_mode;

/* How many bytes a barrier needs; 0 where parties is 0 or above FW_IPC_BARRIER_MAX. */
FW_API size_t fw_ipc_barrier_size(uint32_t parties);

/*
 * Makes a barrier of zeroed memory.  Several processes may do so at once, and one that was killed
 * over it does no harm: what has been made with the same number and mode is left as it is.
 *   0
 *   EINVAL   parties is 0 or above FW_IPC_BARRIER_MAX, no such mode, or as above
 *   EEXIST   it was made with another number or mode
 *   ENOSPC   the region ends before the last place
 */
FW_API int fw_ipc_barrier_init(fw_ipc_barrier *b, uint32_t parties, fw_ipc_barrier_mode mode);

/* Takes a place, if the caller has none.  From then on its death is noticed. */
FW_API int fw_ipc_barrier_join(fw_ipc_barrier *b);

/*
 * Arrives, and waits until all have.
 *   FW_IPC_BARRIER_SERIAL   the round has ended; to one of those who wait for it so
 *   0                       the round has ended
 *   EDEADLK                 the caller has arrived for this round already (fw_ipc_barrier_arrive)
 *   errors as above
 */
FW_API int fw_ipc_barrier_wait(fw_ipc_barrier *b);

/*
 * The same until the deadline at most.  ETIMEDOUT: the caller has not arrived, and is still a
 * party.  EINVAL also for a malformed deadline.
 */
FW_API int fw_ipc_barrier_timedwait(fw_ipc_barrier *b, const fw_deadline *deadline);

/* The same with a waiting policy (NULL: the process default) and a deadline (NULL: none). */
FW_API int fw_ipc_barrier_wait_policy(fw_ipc_barrier *b, const fw_wait_policy *policy,
                                      const fw_deadline *deadline);

/* Arrives, and does not wait.  *token is for fw_ipc_barrier_await.  0, or an error as of wait. */
FW_API int fw_ipc_barrier_arrive(fw_ipc_barrier *b, uint64_t *token);

/*
 * Waits for the end of the round of which arriving gave the token; for a thread that has not left
 * since then.  0 (never FW_IPC_BARRIER_SERIAL), or an error as above.
 */
FW_API int fw_ipc_barrier_await(fw_ipc_barrier *b, uint64_t token);

/*
 * Gives the place back: the others wait for the caller no longer.  EPERM: it has none.
 */
FW_API int fw_ipc_barrier_leave(fw_ipc_barrier *b);

/*
 * After a failure: the barrier is as new, in its next round, with all places free.  Those who go on
 * take one again, and so do others for the dead.  0, also where it has not failed.
 */
FW_API int fw_ipc_barrier_reset(fw_ipc_barrier *b);

/* The number of the present round, modulo 2^30, at a glimpse. */
FW_API uint32_t fw_ipc_barrier_round(const fw_ipc_barrier *b);

/*
 * A party that died and whose place nobody has taken since (until a reset); generation is the
 * number of the present round.  0, ENOENT: there is none; EINVAL, EUCLEAN.
 */
FW_API int fw_ipc_barrier_death(const fw_ipc_barrier *b, fw_ipc_death *death);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/ipc/barrier.h>
#endif

FW_END_DECLS

#endif
