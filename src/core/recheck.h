/* SPDX-License-Identifier: MIT */
#ifndef FW_CORE_RECHECK_H
#define FW_CORE_RECHECK_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <furwock/bits/deadline.h>

/*
 * Re-check intervals: for how long a waiter sleeps at most before it looks for itself.  No wake is
 * lost between threads that keep to the rules; the intervals are for what the rules do not cover.
 * All of them are here.
 *
 * Between processes a wake can be lost with the process that was to make it.  The first interval of
 * a wait is the lock's; each one that passes without a wake is followed by one eight times as long,
 * up to a minute.  A waiter that has just come therefore notices a loss soon, and one that has
 * waited for long wakes once a minute.  With a deadline on CLOCK_REALTIME the maximum is a second,
 * because that clock may be set.
 */
#ifndef FW_RECHECK_GROWTH /* in the model all intervals are alike */
#define FW_RECHECK_GROWTH 8u
#endif
#define FW_RECHECK_MAX_NS UINT64_C(60000000000)
#define FW_RECHECK_REALTIME_NS UINT64_C(1000000000)

/* src/ipc: deaths that the kernel does not mark, and holders of which it knows nothing. */
#define FW_RECHECK_IPC_NS UINT64_C(40000000)

/* The drop-in's locks between processes. */
#define FW_RECHECK_POSIX_ROBUST_NS UINT64_C(1000000000) /* loss takes two deaths: only finite */
#define FW_RECHECK_POSIX_COND_NS UINT64_C(500000000)    /* a signaller was killed: only finite */
#define FW_RECHECK_POSIX_RWLOCK_NS UINT64_C(100000000)  /* a waiter was killed after its wake */

/*
 * Between threads an interval has the same length each time.
 *
 * RACES: a waiter of the mutex, or a writer, that has lost several races to threads that run: it
 * comes back by itself, and the next releases need not wake it (doc/design/mutex.md).
 *
 * BUCKET: the thread that was woken may not get to run, or the sleeper's policy may have changed.
 */
#define FW_RECHECK_RACES_NS UINT64_C(50000)
#define FW_STARVATION_NS UINT64_C(500000) /* one that has lost for this long is given the lock */
#define FW_RECHECK_BUCKET_NS UINT64_C(10000000)
#define FW_RECHECK_UNFENCED_NS UINT64_C(1000000) /* the kernel refuses the fence: a wake may fail */
#define FW_RECHECK_REFUSED_NS UINT64_C(20000000) /* once per mutex, for one that cannot re-check */
#define FW_RECHECK_ANY_NS UINT64_C(1000000)      /* sleeps on one of the words it waits for */
#define FW_RECHECK_LEAVING_NS UINT64_C(1000000)  /* destroys, and others are on their way out */
#define FW_RECHECK_ENDING_NS UINT64_C(50000)     /* a thread has ended, not so the kernel with it */

/* The generic atomics.  A waiter that was woken comes back by itself, as with RACES. */
#ifndef FW_RECHECK_ATOMIC_WOKEN_NS
#define FW_RECHECK_ATOMIC_WOKEN_NS UINT64_C(100000)
#endif
/* The others: a signal handler may hold up the one that was woken.  0: no re-check. */
#ifndef FW_RECHECK_ATOMIC_NS
#define FW_RECHECK_ATOMIC_NS UINT64_C(1000000000)
#endif
#define FW_RECHECK_ATOMIC_IPC_NS UINT64_C(50000000) /* deaths that the kernel does not mark */

/*
 * Real-time locks.  RT: many times longer than anybody has an internal lock, and for how long the
 * death of an owner that boosts may go unnoticed.
 *
 * RT_PROXY: the holder may have called exec, or its thread id may have been given out anew, just
 * before the kernel was asked for its proxy.  The first interval is longer than most sections, and
 * the longest a tenth of the time after which the kernel stops a SCHED_FIFO thread that never
 * sleeps.
 */
#define FW_RECHECK_RT_NS UINT64_C(20000000)
#define FW_RECHECK_RT_PROXY_NS UINT64_C(1000000)
#define FW_RECHECK_RT_PROXY_MAX_NS UINT64_C(100000000)
#define FW_RECHECK_RT_PROXY_GROWTH 10u
#define FW_RECHECK_RT_ENDED_NS UINT64_C(10000000) /* without the scheduler: deaths are not told */
#define FW_RECHECK_RT_AWAY_NS UINT64_C(1000000)   /* asks the scheduler from where it is not */
#define FW_RECHECK_RT_OPEN_NS UINT64_C(1000000)   /* permits that the slot's last task asked for */

static inline uint64_t fw_recheck_longest_(const fw_deadline *deadline)
{
    return deadline != NULL && deadline->clock == CLOCK_REALTIME ? FW_RECHECK_REALTIME_NS
                                                                 : FW_RECHECK_MAX_NS;
}

/* The interval after one of `ns` that has passed without a wake. */
static inline uint64_t fw_recheck_longer_(uint64_t ns, uint64_t longest)
{
    return ns < longest / FW_RECHECK_GROWTH ? ns * FW_RECHECK_GROWTH : longest;
}

/* The interval after one of `ns` that ended with `error` of the futex wait. */
static inline uint64_t fw_recheck_after_(uint64_t ns, int error, const fw_deadline *deadline)
{
    return error == -ETIMEDOUT ? fw_recheck_longer_(ns, fw_recheck_longest_(deadline)) : ns;
}

#endif
