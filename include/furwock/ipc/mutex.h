/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_IPC_MUTEX_H
#define FURWOCK_IPC_MUTEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <furwock/bits/annotate.h>
#include <furwock/bits/api.h>
#include <furwock/bits/atomic.h>
#include <furwock/bits/deadline.h>
#include <furwock/bits/participant.h>
#include <furwock/thread_safety.h>
#include <furwock/wait.h>

FW_BEGIN_DECLS

/* The owner history of a lock; internal. */
typedef struct fw_ipc_history {
    uint64_t generation_; /* of the current or the last owner */
    uint64_t since_;      /* ns of CLOCK_MONOTONIC when it began, with FW_REGION_STAMP */
    uint64_t dead_;       /* process << 32 | thread of the last owner that died */
    uint64_t dead_generation_;
    uint64_t journal_; /* offset of its journal in the region; 0: none */
} fw_ipc_history;

/*
 * fw_ipc_mutex: mutual exclusion between threads of any processes, robust against the death of its
 * owner.
 *
 * "Finally, a solution needs to be found that enables the recovery of dead locks": Franke, Russell
 * and Kirkwood, "Fuss, Futexes and Furwocks" (OLS 2002), section 5.
 *
 * Rules
 *  - It lies in a region (furwock/ipc/region.h), aligned to 8 bytes; zeroes are a free mutex.
 *    Processes may have the region at different addresses.
 *  - If the owner dies (killed, ended, exec), the lock is not lost: the next one acquires it with
 *    EOWNERDEAD, at once, also if it already sleeps.  (If the kernel does not report deaths, after
 *    a while: doc/design/crash-safety.md.)  The data may be half changed: the new owner repairs
 *    them and calls fw_ipc_mutex_consistent.  If it unlocks without doing so, the mutex becomes
 *    unusable: ENOTRECOVERABLE for all, from then on.  If it dies, the next one gets EOWNERDEAD
 *    again.
 *  - With a journal (furwock/ipc/journal.h) or a repair function (below) the library repairs the
 *    data, and lock returns 0.
 *  - A stopped owner (SIGSTOP, a debugger) is not dead: the others wait.
 *  - The owner is a thread.  After fork the child holds nothing: the parent keeps its locks.  exec
 *    counts as the death of the thread, and so does its end without an unlock.
 *  - Each acquisition has a number, greater than that of every acquisition before: the generation.
 *    Stored with data outside the region, it allows late writes of a former owner to be rejected (a
 *    fencing token).
 *  - Not recursive.  Calls are not cancellation points and never fail with EINTR.  Not for signal
 *    handlers.
 *
 * Errors are returned.  Every call can return:
 *   EINVAL           it lies in no region that this process has joined, or is misaligned
 *   EAGAIN           the region has no participant slot left for another thread (fw_region_open)
 *   EUCLEAN          the mutex has been overwritten: it is left as it is
 *
 * Example: a counter that is never found half changed
 *
 *     struct tally {
 *         fw_ipc_mutex lock;
 *         long count, sum;
 *     };
 *
 *     int add(struct tally *t, long value)
 *     {
 *         int error = fw_ipc_mutex_lock(&t->lock);
 *         if (error == EOWNERDEAD) {
 *             t->sum = t->count = 0;
 *             error = fw_ipc_mutex_consistent(&t->lock);
 *         }
 *         if (error != 0)
 *             return error;
 *         t->count++;
 *         t->sum += value;
 *         return fw_ipc_mutex_unlock(&t->lock);
 *     }
 */
typedef struct FW_CAPABILITY("mutex between processes") fw_ipc_mutex {
    uint64_t word_; /* internal: doc/design/crash-safety.md */
    fw_ipc_history history_;
} fw_ipc_mutex;

#define FW_IPC_MUTEX_INIT \
    {                     \
        0,                \
        {                 \
            0, 0, 0, 0, 0 \
        }                 \
    }

/* Makes *m a free mutex, whose generation is 0.  0, or EINVAL. */
FW_API int fw_ipc_mutex_init(fw_ipc_mutex *m);

/*
 * Takes the mutex if it is free or its owner is dead.
 *   0                 taken
 *   EOWNERDEAD        taken, and its previous owner died: repair, then fw_ipc_mutex_consistent
 *   EBUSY             a thread (perhaps the caller) holds it
 *   ENOTRECOVERABLE   it is unusable
 *   EINVAL, EAGAIN, EUCLEAN as above
 */
FW_NODISCARD FW_API int fw_ipc_mutex_trylock(fw_ipc_mutex *m);

/* Internal: lock, once the fast path has failed; and the time of an acquisition, for tools. */
FW_API int fw_ipc_mutex_lock_slow_(fw_ipc_mutex *m) FW_ABI_NAME_(fw_ipc_mutex_lock_slow);
FW_API void fw_ipc_mutex_stamp_(fw_ipc_mutex *m) FW_ABI_NAME_(fw_ipc_mutex_stamp);

/* Internal: free -> id, by a thread that is known to have a participant slot in the region. */
static inline bool fw_ipc_mutex_take_(fw_ipc_mutex *m)
{
    const struct fw_ipc_me_ *me = fw_ipc_known_(m);
    uint64_t now = 0;

    if (__builtin_expect(me == NULL || !fw_cas64_acquire(&m->word_, &now, me->id), 0))
        return false;
    fw_store64_relaxed(&m->history_.generation_, m->history_.generation_ + 1);
    if (__builtin_expect(me->flags != 0, 0))
        fw_ipc_mutex_stamp_(m);
    return true;
}

/*
 * Takes the mutex, waiting for it if need be.  As above, and EDEADLK: the caller holds it.  The
 * fast path is compiled into the caller because that takes a fifth less time.
 */
FW_NODISCARD FW_INLINE int fw_ipc_mutex_lock(fw_ipc_mutex *m);
#ifndef FW_CALLED_
FW_INLINE int fw_ipc_mutex_lock(fw_ipc_mutex *m)
{
    return __builtin_expect(fw_ipc_mutex_take_(m), 1) ? 0 : fw_ipc_mutex_lock_slow_(m);
}
#endif

/*
 * Takes the mutex as fw_ipc_mutex_lock, waiting until the deadline at most: ETIMEDOUT.  EINVAL
 * also for a malformed deadline.
 */
FW_NODISCARD FW_API int fw_ipc_mutex_timedlock(fw_ipc_mutex *m, const fw_deadline *deadline);

/*
 * Takes the mutex with a wait policy (NULL: the process default) and a deadline (NULL: none);
 * results as for fw_ipc_mutex_timedlock.  Also ECANCELED and EINTR, if the policy asks for that:
 * furwock/ipc/interrupt.h.
 */
FW_NODISCARD FW_API int fw_ipc_mutex_lock_policy(fw_ipc_mutex *m, const fw_wait_policy *policy,
                                                 const fw_deadline *deadline);

/*
 * Releases the mutex; commits its journal, if it has one.  EPERM: the caller does not hold it.
 * EUCLEAN: released, and the journal has been overwritten.
 */
FW_API int fw_ipc_mutex_unlock(fw_ipc_mutex *m);

/*
 * After EOWNERDEAD: declares the data consistent.  EPERM: the caller does not hold it; EINVAL also:
 * it is consistent already.
 */
FW_API int fw_ipc_mutex_consistent(fw_ipc_mutex *m);

/* The number of the caller's acquisition; for others, a snapshot of the current or last one. */
FW_API uint64_t fw_ipc_mutex_generation(const fw_ipc_mutex *m);

/* An owner that died. */
typedef struct fw_ipc_death {
    pid_t process; /* in its own pid namespace; 0: no longer known */
    pid_t thread;
    uint64_t generation; /* of its acquisition */
} fw_ipc_death;

/* The last owner that died. 0; ENOENT: none has. */
FW_API int fw_ipc_mutex_death(const fw_ipc_mutex *m, fw_ipc_death *death);

/*
 * Registers a repair function, for this process: when a call would return EOWNERDEAD, `repair` is
 * called first, with the mutex held. If it returns 0, the mutex is declared consistent, and the
 * call returns 0; if not, the call returns EOWNERDEAD. NULL unregisters it. The thread may die in
 * it, too: then the next owner learns of that. It must leave the mutex held (if not, the call
 * returns EPERM), and return (no longjmp). It is registered per process because addresses differ.
 *   0, EINVAL as above, ENOMEM
 */
FW_API int fw_ipc_mutex_on_death(fw_ipc_mutex *m, int (*repair)(void *arg, const fw_ipc_death *),
                                 void *arg);

/* Is the mutex held by the calling thread? */
FW_NODISCARD FW_API bool fw_ipc_mutex_is_held_by_me(const fw_ipc_mutex *m);

/* Aborts the program, with a diagnostic on standard error, unless it is. */
FW_API void fw_ipc_mutex_assert_held(const fw_ipc_mutex *m) FW_ASSERT_CAPABILITY(m);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/ipc/mutex.h>
#endif

FW_END_DECLS

#endif
