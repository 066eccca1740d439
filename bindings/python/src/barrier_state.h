/* SPDX-License-Identifier: MIT */
#ifndef FWPY_BARRIER_STATE_H
#define FWPY_BARRIER_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/deadline.h>
#include <furwock/ipc/mutex.h>

#include "process.h"

/*
 * A barrier between processes with the semantics of threading.Barrier: a phase ends when `parties`
 * threads have arrived, whichever they are; one of them runs an action before the others go on; it
 * can be broken (abort, a time-out, an action that fails) and reset.  (fw_ipc_barrier is for a
 * fixed set of threads, and has no action.)
 *
 * What threading.Barrier does not have to know: a process may die.  Each party has a row, with the
 * thread that arrived in it last; if that thread's process dies before it arrives again, the
 * barrier breaks, or goes on without it.  A process that ends in good order vacates its rows
 * (fwpy_barrier_leave_process), and the others wait for a newcomer.
 */
#define FWPY_BARRIER_MAGIC UINT32_C(0x62777066)
#define FWPY_BARRIER_MAX 4096u

/* After this many failures a thread that was stopped meanwhile is told that its phase failed. */
#define FWPY_BARRIER_FAILURES 8u

struct fwpy_party {
    uint64_t holder; /* the thread; 0: vacant */
    struct fwpy_process process;
    uint64_t arrived; /* the round in which it arrived last, + 1 */
};

struct fwpy_barrier {
    fw_ipc_mutex guard;
    uint64_t word;
    uint32_t party_count;
    uint32_t goes_on;
    uint64_t runner; /* the thread that runs the action */
    uint64_t deaths; /* processes that died before they arrived */
    uint32_t failure_count;
    uint32_t failures[FWPY_BARRIER_FAILURES]; /* rounds that failed */
    uint32_t magic;                           /* FWPY_BARRIER_MAGIC */
    struct fwpy_party parties[];
};

/* 0: no such number. */
size_t fwpy_barrier_size(uint32_t parties);

/* In zeroed memory, which nobody else uses yet. */
void fwpy_barrier_init(struct fwpy_barrier *b, uint32_t parties, bool goes_on);

/* One thread's wait, which may be made in several pieces. */
struct fwpy_barrier_call {
    struct fwpy_barrier *b;
    bool has_action;
    bool has_arrived;
    uint32_t round; /* in which it has arrived */
    uint32_t index; /* how many had arrived before */
    uint64_t me;
};

/*
 * Arrives and waits.
 *   0             the phase has ended
 *   EINPROGRESS   all have arrived: run the action, then call fwpy_barrier_finish
 *   EPIPE         the barrier is broken
 *   ETIMEDOUT     the deadline has passed: call again, or fwpy_barrier_time_out
 *   EINVAL, EAGAIN as fwpy_wait_until; errors of fw_ipc_mutex_lock
 */
int fwpy_barrier_wait(struct fwpy_barrier_call *c, const fw_deadline *deadline);

/* Breaks the barrier, if the phase has not ended.  0: it has; ETIMEDOUT; EPIPE: it was broken. */
int fwpy_barrier_time_out(struct fwpy_barrier_call *c);

/* After the action: ends the phase, or breaks the barrier.  0, EPIPE: it was broken meanwhile. */
int fwpy_barrier_finish(struct fwpy_barrier_call *c, bool has_succeeded);

/* The thread has not arrived after all, if the phase has not ended. */
int fwpy_barrier_give_up(struct fwpy_barrier_call *c);

/* The waiters, and all that come until a reset, get EPIPE. */
int fwpy_barrier_abort(struct fwpy_barrier *b);

/* As new; waiters get EPIPE. */
int fwpy_barrier_reset(struct fwpy_barrier *b);

/* Vacates the calling thread's row, or all rows of its process. */
int fwpy_barrier_leave(struct fwpy_barrier *b);
int fwpy_barrier_leave_process(struct fwpy_barrier *b);

/* Snapshots. */
bool fwpy_barrier_is_broken(const struct fwpy_barrier *b);
uint32_t fwpy_barrier_waiting(const struct fwpy_barrier *b);

#endif
