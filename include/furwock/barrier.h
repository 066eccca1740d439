/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BARRIER_H
#define FURWOCK_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/annotate.h>
#include <furwock/bits/api.h>
#include <furwock/wait.h>

FW_BEGIN_DECLS

/*
 * fw_barrier: a reusable barrier with split arrive and wait, and drop.  A number of threads, its
 * participants, wait for each other in every phase; none leaves a phase before all have arrived.
 * Sixteen bytes.
 *
 * Rules
 *  - A phase ends when all participants have arrived.  The next one begins at once; a thread may
 *    arrive for it while others still leave the previous one, and the two never mix.
 *  - fw_barrier_wait arrives and waits.  fw_barrier_arrive only arrives, and gives a token with
 *    which the same or another thread can wait later (fw_barrier_await).  fw_barrier_drop arrives
 *    for the last time: from the next phase on there is one participant less.
 *  - Whatever a participant did before it arrived is visible to all waiters once they return.
 *  - More arrivals than participants, also at a barrier whose bytes are zero, are an error in the
 *    program: the library aborts it if they can be told from arrivals for the next phase.
 *  - When every thread that waited has returned, the barrier may be freed; it needs no destructor.
 *    A thread that has returned and does not know about the others calls fw_barrier_destroy first,
 *    which waits until they have left.  A thread that only arrives or drops has left when the phase
 *    ends: the barrier may be freed although that thread is still in its call.
 *  - After fork(3) the other participants do not exist in the child: it must initialise the barrier
 *    again.
 *  - Not for memory shared between processes.
 *
 * No call is a cancellation point or fails with EINTR. fw_barrier_arrive and fw_barrier_drop are
 * safe in signal handlers. Threads wait as the wait policy says (furwock/wait.h); if none is named,
 * the barrier spins only while spinning has paid off recently (doc/design/barrier.md).  Waiting and
 * waking are those of Franke, Russell and Kirkwood (OLS 2002), section 3.1.3; arriving, awaiting
 * and dropping are C++20's (std::barrier).
 *
 * Example: two steps of a computation, each of which needs all of the previous one
 *
 *     enum { THREADS = 3 };
 *
 *     static fw_barrier step = FW_BARRIER_INIT(THREADS);
 *     static int first[THREADS], second[THREADS];
 *
 *     void compute(int me)
 *     {
 *         first[me] = me + 1;
 *         fw_barrier_wait(&step);
 *         for (int i = 0; i < THREADS; i++)
 *             second[me] += first[i];
 *         if (fw_barrier_wait(&step) == FW_BARRIER_SERIAL)
 *             puts("the second step is done");
 *     }
 */
typedef struct fw_barrier {
    uint64_t state_; /* internal; its layout is described in doc/design/barrier.md and may change */
    uint32_t parties_;
    uint32_t generation_; /* of forks, when fw_barrier_init made it or a phase ended; or 0 */
} fw_barrier;

/* What fw_barrier_wait returns to one thread of each phase. */
#define FW_BARRIER_SERIAL (-1)

/* The largest number of participants. */
#define FW_BARRIER_MAX 0x3fffffu

/* A constant number of participants, from 1 to FW_BARRIER_MAX. */
/* clang-format off */
#define FW_BARRIER_INIT(parties) {(parties), (parties), 0}
/* clang-format on */

/* Makes a barrier.  Returns 0, or EINVAL if parties is 0 or above FW_BARRIER_MAX. */
FW_API int fw_barrier_init(fw_barrier *b, uint32_t parties);

/*
 * Waits until all threads that waited have left the barrier.  It may be called as soon as one of
 * them has returned; the memory may be freed or initialised again afterwards.  If one thread has
 * not left and another has arrived for the next phase, it aborts the program: that phase would
 * never end.
 */
FW_API void fw_barrier_destroy(fw_barrier *b);

/*
 * Ends the use of the barrier, as fw_barrier_destroy, if no thread has arrived for a phase that
 * will not end: 0.  Else EBUSY, with no effect; also in the child of a fork if threads were
 * inside.
 */
FW_NODISCARD FW_API int fw_barrier_trydestroy(fw_barrier *b);

/*
 * Arrives, and waits until all have.  Returns FW_BARRIER_SERIAL to one of them (the last to
 * arrive), 0 to the others.
 */
FW_API int fw_barrier_wait(fw_barrier *b) FW_ABI_NAME_(fw_barrier_wait);

/*
 * Arrives and waits, as fw_barrier_wait, with a wait policy for this call (NULL: the process
 * default, and what the barrier has learnt).  EINVAL for a malformed policy: then the caller has
 * not arrived.
 */
FW_API int fw_barrier_wait_policy(fw_barrier *b, const fw_wait_policy *policy);

/* Arrives, and does not wait.  Returns a token for fw_barrier_await. */
FW_API uint32_t fw_barrier_arrive(fw_barrier *b);

/*
 * Waits for the end of the phase that returned the token: the current or the previous one, nothing
 * older.
 */
FW_API void fw_barrier_await(fw_barrier *b, uint32_t phase);

/* Arrives, and takes no part in the phases that follow. */
FW_API void fw_barrier_drop(fw_barrier *b);

/*
 * Internal, for furwock.hpp, where a function runs between the last arrival and the end of the
 * phase: n threads (1 or more) arrive; stay: the caller is going to wait; drop: they take no
 * further part.  True: the caller was the last, and must call fw_barrier_open_.  False: it must
 * call fw_barrier_stay_ if it said that it would stay.
 */
FW_API bool fw_barrier_arrive_(fw_barrier *b, uint32_t n, bool stay, bool drop, uint32_t *phase)
    FW_ABI_NAME_(fw_barrier_arrive);
FW_API void fw_barrier_open_(fw_barrier *b, bool stay) FW_ABI_NAME_(fw_barrier_open);
FW_API void fw_barrier_stay_(fw_barrier *b, uint32_t phase) FW_ABI_NAME_(fw_barrier_stay);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/barrier.h>
#endif

FW_END_DECLS

#endif
