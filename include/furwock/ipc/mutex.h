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
#include <furwock/bits/member.h>
#include <furwock/wait.h>

FW_BEGIN_DECLS

/* What a lock remembers of its holders; internal. */
typedef struct fw_ipc_past {
    uint64_t generation_; /* of the present or the last holder */
    uint64_t since_;      /* ns of CLOCK_MONOTONIC when it began, with FW_REGION_STAMP */
    uint64_t dead_;       /* process << 32 | thread of the last holder that died */
    uint64_t dead_generation_;
    uint64_t journal_; /* where its journal lies, from the region's begin; 0: none */
} fw_ipc_past;

/*
 * fw_ipc_mutex: mutual exclusion between threads of any processes, which survives its holder.
 *
 * "Finally, a solution needs to be found that enables the recovery of dead locks": Franke, Russell
 * and Kirkwood, "Fuss, Futexes and Furwocks" (OLS 2002), section 5.
 *
 * Rules
 *  - It lies in a region (furwock/ipc/region.h), aligned to 8 bytes; zeroes are a free mutex.
 *    Processes may have the region at different addresses.
 *  - A holder that dies (killed, ended, exec) does not take it along: the next one gets it with
 *    EOWNERDEAD, at once, also where it already sleeps.  (Where the kernel does not tell of
 *    deaths, after a while: doc/design/crash-safety.md.)  The data may be half changed: it repairs
 *    them and calls fw_ipc_mutex_consistent.  If it unlocks without, the mutex is given up:
 *    ENOTRECOVERABLE for all, from then on.  If it dies, the next one gets EOWNERDEAD again.
 *  - With a journal (furwock/ipc/journal.h) or a repair function (below) the library repairs, and
 *    lock answers 0.
 *  - A stopped holder (SIGSTOP, a debugger) is not dead: the others wait.
 *  - The holder is a thread.  After fork the child holds nothing: what the parent holds stays the
 *    parent's.  exec ends a thread, for this purpose, and so does its end without unlock.
 *  - Each acquisition has a number, greater than that of every acquisition before: the generation.
 *    Who writes it into what lies outside of the region can refuse late writes of a former holder.
 *  - Not recursive.  Calls are not cancellation points and never fail by EINTR.  Not for signal
 *    handlers.
 *
 * Errors are returned.  Every call that may find the mutex in bad shape can answer:
 *   EINVAL           it lies in no region that this process has joined, or is misaligned
 *   EAGAIN           the region has no line left for another thread (fw_region_open)
 *   EUCLEAN          the mutex has been written over: it is left as it is
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
typedef struct fw_ipc_mutex {
    uint64_t word_; /* internal: doc/design/crash-safety.md */
    fw_ipc_past past_;
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
 * Takes the mutex if it is free or its holder is dead.
 *   0                 taken
 *   EOWNERDEAD        taken, and the holder before died: repair, then fw_ipc_mutex_consistent
 *   EBUSY             somebody (the caller too) holds it
 *   ENOTRECOVERABLE   it was given up
 *   EINVAL, EAGAIN, EUCLEAN as above
 */
FW_API int fw_ipc_mutex_trylock(fw_ipc_mutex *m);

/* Internal: lock, once the fast path has failed; and the time of an acquisition, for tools. */
FW_API int fw_ipc_mutex_lock_slow_(fw_ipc_mutex *m);
FW_API void fw_ipc_mutex_stamp_(fw_ipc_mutex *m);

/* Internal: free -> id, by a thread that is known to be a member of the region. */
static inline bool fw_ipc_mutex_take_(fw_ipc_mutex *m)
{
    const struct fw_ipc_me_ *me = fw_ipc_known_(m);
    uint64_t now = 0;

    if (__builtin_expect(me == NULL || !fw_cas64_acquire(&m->word_, &now, me->id), 0))
        return false;
    fw_store64_relaxed(&m->past_.generation_, m->past_.generation_ + 1);
    if (__builtin_expect(me->flags != 0, 0))
        fw_ipc_mutex_stamp_(m);
    return true;
}

/*
 * Takes the mutex, waiting for it if need be.  As above, and EDEADLK: the caller holds it.  The
 * fast path is compiled into the caller because that takes a fifth less time.
 */
FW_INLINE int fw_ipc_mutex_lock(fw_ipc_mutex *m);
FW_INLINE int fw_ipc_mutex_lock(fw_ipc_mutex *m)
{
    return __builtin_expect(fw_ipc_mutex_take_(m), 1) ? 0 : fw_ipc_mutex_lock_slow_(m);
}

/* The same until the deadline at most: ETIMEDOUT.  EINVAL also for a malformed deadline. */
FW_API int fw_ipc_mutex_timedlock(fw_ipc_mutex *m, const fw_deadline *deadline);

/* The same with a waiting policy (NULL: the process default) and a deadline (NULL: none). */
FW_API int fw_ipc_mutex_lock_policy(fw_ipc_mutex *m, const fw_wait_policy *policy,
                                    const fw_deadline *deadline);

/*
 * Releases the mutex; commits its journal, if it has one.  EPERM: the caller does not hold it.
 * EUCLEAN: released, and the journal has been written over.
 */
FW_API int fw_ipc_mutex_unlock(fw_ipc_mutex *m);

/*
 * After EOWNERDEAD: the data are sound again.  EPERM: the caller does not hold it; EINVAL also: it
 * is not in need of that.
 */
FW_API int fw_ipc_mutex_consistent(fw_ipc_mutex *m);

/* The number of the caller's acquisition; for others, of the present or last one, at a glimpse. */
FW_API uint64_t fw_ipc_mutex_generation(const fw_ipc_mutex *m);

/* A holder that died. */
typedef struct fw_ipc_death {
    pid_t process; /* as its own pid namespace had it; 0: not known any more */
    pid_t thread;
    uint64_t generation; /* of its acquisition */
} fw_ipc_death;

/* Who died last while it held the mutex.  0, ENOENT: nobody has. */
FW_API int fw_ipc_mutex_death(const fw_ipc_mutex *m, fw_ipc_death *death);

/*
 * From now on, in this process: when a call would answer EOWNERDEAD, `repair` is called first, the
 * mutex held.  If it returns 0, the mutex is declared consistent, and the call answers 0; if not,
 * the call answers EOWNERDEAD.  NULL takes it back.  The function may die, too: then the next
 * holder is told of this.  It leaves the mutex held (if not, the call answers EPERM), and returns
 * (no longjmp).  Registered per process, since addresses differ.
 *   0, EINVAL as above, ENOMEM
 */
FW_API int fw_ipc_mutex_on_death(fw_ipc_mutex *m, int (*repair)(void *arg, const fw_ipc_death *),
                                 void *arg);

/* Is the mutex held by the calling thread? */
FW_API bool fw_ipc_mutex_is_held_by_me(const fw_ipc_mutex *m);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/ipc/mutex.h>
#endif

FW_END_DECLS

#endif
