/* SPDX-License-Identifier: MIT */
#ifndef FW_RT_INTERNAL_H
#define FW_RT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include <furwock/bits/atomic.h>
#include <furwock/rt.h>

#include "rt/decide.h"
#include "rt/liveness.h"
#include "rt/state.h"
#include "rt/trace.h"
#include "sys/robust.h"

/*
 * What the parts of the library know of each other.
 *
 * Proxies (tier A).  A task that must wait for a section on its own CPU waits on the proxy of the
 * lock that is in its way: a futex that inherits priority.  The proxy is free most of the time,
 * also while the lock is held: it is the waiter that writes the holder's thread id into it, on the
 * holder's behalf, and so makes the kernel lend it the waiter's priority.  The holder looks at
 * unlock_call when it unlocks, and gives back what others have put into its hands.
 */

struct fw_rt_task {
    struct fw_rt_task_record *record;
    struct fw_rt_state *state;
    struct fw_rt_group *group;
    uint32_t slot;
    uint32_t tid;
    unsigned shared;           /* FW_FUTEX_PRIVATE or FW_FUTEX_SHARED, for all words of the state */
    struct fw_rt_trace *trace; /* NULL: nobody records */
    struct fw_rt_scx_page *page;           /* tier B; else NULL */
    uint64_t quick;                        /* locks that quick.h may take and leave, a bit each */
    uint64_t boosts;                       /* the same for those that boost */
    uint64_t inherits;                     /* and for those that inherit, which count in depth */
    unsigned depth;                        /* how many locks it has; not counting quick.h's */
    unsigned peers;                        /* the words that quick.h looks at: `held` of the */
    const uint64_t *peer[FW_RT_TASKS + 1]; /* CPU's other records, the state's `begun`, and the */
    uint64_t quiet[FW_RT_TASKS + 1]; /* CPU's `last`; and what they say when nobody has a lock */
    int held_order[FW_RT_LOCKS];     /* which locks it has, the outermost first */
    uint32_t recheck_ns;             /* of the next wait at a proxy (proxy.c) */
    uint64_t period;                 /* ns; its own, which others cannot write over */
    uint64_t next_release_ns, job_number, executed_ns;
    int old_policy, old_priority;
    int old_slack;      /* tier B: of its timers, ns; 0 or less: not known */
    uint64_t *old_cpus; /* as sched_getaffinity has them; NULL: not known */
    size_t old_cpus_size;
    uint64_t started;            /* when the thread was; 0: not known */
    struct fw_robust_ announced; /* while it has the state's lock (scx/ended.c) */
};

struct fw_rt_group {
    struct fw_rt_state *state;
    void *region; /* fw_region *; NULL: private to the process */
    unsigned shared;
    uint32_t tasks;        /* of this process */
    pid_t process;         /* who opened it */
    struct fw_rt_scx *scx; /* tier B; else NULL */
};

/* why.c: keeps the sentence, and returns the error. */
int fw_rt_fail_(int error, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
void fw_rt_forget_(void);
extern _Thread_local bool fw_rt_has_failed_
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The call has gone well: an earlier sentence is no longer the last one's. */
static inline void fw_rt_good_(void)
{
    if (__builtin_expect(fw_rt_has_failed_, 0))
        fw_rt_forget_();
}

/* The highest priority of SCHED_FIFO that tier A uses, for boosting. */
#define FW_RT_BOOST_MOST 98

/* protocol.c */
uint32_t fw_rt_kind_of_(fw_rt_protocol protocol); /* FW_RT_KIND_NONE: there is none */
bool fw_rt_asks_kernel_(fw_rt_protocol protocol); /* one of the baselines */

/*
 * One file for each kind of lock (tier A): pip.c, ceiling.c (IPCP and the PCP's), boost.c (MPCP,
 * FMLP+).  The caller (lock.c) has checked that the task has opened the lock, does or does not have
 * it, and may nest it; it keeps held_order and depth, and tells the trace of `request`, `acquire`
 * and `release`.  lock: 0, EOWNERDEAD, EBUSY (with `try`), EDEADLK, EXDEV.  unlock: 0; that of
 * boost.c is in lock.c and quick.h, except for what takes longer.  (So is what is short of pip.c.)
 */
int fw_rt_pip_lock_(struct fw_rt_task *t, uint32_t d, bool try);
int fw_rt_pip_unlock_(struct fw_rt_task *t, uint32_t d);
int fw_rt_ceiling_lock_(struct fw_rt_task *t, uint32_t d, bool try);
int fw_rt_ceiling_unlock_(struct fw_rt_task *t, uint32_t d);
int fw_rt_boost_lock_(struct fw_rt_task *t, uint32_t d, bool try);

/* boost.c, behind quick.h.  Another one has the lock, and the caller's bit is set: as ..._lock_. */
int fw_rt_boost_lock_slow_(struct fw_rt_task *t, uint32_t d, bool try) __attribute__((cold));

/*
 * The end of a section for which somebody waits, or in which the owner is raised.  Where the lock
 * is not free yet (then the bit is set still), it is handed on first, while the owner is boosted:
 * at the proxy it may be preempted for a whole job.
 */
void fw_rt_boost_end_slow_(struct fw_rt_task *t, uint32_t d, bool is_free) __attribute__((cold));

/*
 * boost_handoff.c.
 * fw_rt_boost_hand_off_: the owner leaves a lock that others wait for.
 * fw_rt_boost_reap_lock_: hands on what a dead task has, or what its reaping has left undone:
 * `dead` in the word.  Another owner looks at the queue again (boost.c, BOOST2).
 * fw_rt_boost_reap_: what fw_rt_reap_ does about all such locks, under the record's lock.
 */
void fw_rt_boost_hand_off_(struct fw_rt_task *t, uint32_t d);
void fw_rt_boost_reap_lock_(struct fw_rt_task *t, uint32_t d, uint32_t dead);
void fw_rt_boost_reap_(struct fw_rt_task *t, uint32_t slot);

/*
 * raise.c: where updates are deferred.
 * fw_rt_raise_owner_: by a waiter that has seen WAITERS in the word of d: the owner is raised, and
 * in a group of one process the fence of boost.c, BOOST8, was called.  False: the word says
 * something else by now.
 * fw_rt_raise_self_: by a task without a lock that is about to wait in a queue.
 * fw_rt_lower_owner_: by the owner of d, or a task that was it until now: the task is as it was,
 * unless it has the lock and somebody waits.
 */
bool fw_rt_raise_owner_(struct fw_rt_task *t, uint32_t d) __attribute__((cold));
void fw_rt_raise_self_(struct fw_rt_task *t, const struct fw_rt_lock_record *l)
    __attribute__((cold));
void fw_rt_lower_owner_(struct fw_rt_task *t, uint32_t d) __attribute__((cold));

/* open.c: the task in that slot uses no lock any more.  Under the state's lock. */
void fw_rt_forget_user_(struct fw_rt_state *w, uint32_t slot);

/* The same in tier B, for all kinds (scx/user.c); its groups and tasks (scx/join.c). */
int fw_rt_scx_lock_(struct fw_rt_task *t, uint32_t d, bool try);
int fw_rt_scx_unlock_(struct fw_rt_task *t, uint32_t d);
int fw_rt_scx_group_(struct fw_rt_group *group); /* 0, ENOTSUP, EPERM, EPROTO */
void fw_rt_scx_ungroup_(struct fw_rt_group *group);
int fw_rt_scx_join_(struct fw_rt_task *t); /* the record is filled in; 0, EPERM, EAGAIN */
void fw_rt_scx_leave_(struct fw_rt_task *t);
int fw_rt_scx_opened_(struct fw_rt_task *t, uint32_t d); /* after a lock record has changed */

/*
 * pi_lock.c (tier A): a word that its owner's thread id is written into, a futex that inherits.
 * For a few instructions at a time; a task that dies meanwhile loses it to the next.  The state's
 * own internal lock is for a task that has no record, too: the kernel is told of it.
 */
void fw_rt_pi_lock_(struct fw_rt_state *w, uint32_t *word, uint32_t tid, unsigned shared);
void fw_rt_pi_unlock_(uint32_t *word, uint32_t tid, unsigned shared);
void fw_rt_state_lock_(struct fw_rt_state *w, uint32_t tid, unsigned shared, struct fw_robust_ *r);
void fw_rt_state_unlock_(struct fw_rt_state *w, uint32_t tid, unsigned shared,
                         const struct fw_robust_ *r);

/*
 * proxy.c (tier A).
 * fw_rt_proxy_wait_: waits until the section that task `o.task` is in with lock `o.lock` is over,
 * or the holder is found dead (then its record is DEAD and its locks are marked as died in).  May
 * return early.  The caller looks again.  Tells the trace.  0; EUCLEAN: no task can be in that
 * section.  fw_rt_proxy_leave_slow_: what an unlock does that has found unlock_call set, the bit
 * being clear already.
 */
int fw_rt_proxy_wait_(struct fw_rt_task *t, struct fw_rt_obstacle o);
void fw_rt_proxy_leave_slow_(struct fw_rt_task *t);

/* Does somebody wait for the section of a lock whose bit the caller has set? */
bool fw_rt_is_awaited_(const struct fw_rt_task *t, uint32_t d);

/*
 * liveness.c (what others read of it: liveness.h): the calling thread's words, in its record that
 * is JOINING; and when it is a task no more.
 */
void fw_rt_liveness_begin_(struct fw_rt_task *t);
void fw_rt_liveness_end_(struct fw_rt_task *t);

/* Is there no such thread?  One system call. */
bool fw_rt_no_thread_(uint32_t tid);

/* Of a thread that is known to be ending: waits until the kernel has done with its words. */
void fw_rt_await_end_(uint32_t tid);
bool fw_rt_is_gone_(const struct fw_rt_task_record *c);

/* If the word bears that thread's id, which is gone, it is free. */
void fw_rt_free_word_(uint32_t *word, uint32_t tid);

/* A lock's owner has died; and: has it, and is the caller the one to be told? */
void fw_rt_set_died_(struct fw_rt_state *w, struct fw_rt_lock_record *l);
bool fw_rt_is_told_(struct fw_rt_state *w, struct fw_rt_lock_record *l);

/* When the thread began (sys/origin.h); 0: not known. */
uint64_t fw_rt_started_(uint32_t tid);

/*
 * Is the lock said to be with that slot, by the record or by the word of a lock that boosts, and
 * the record is no task's, alive or dead?  Then it will never be left.  Looked at twice, and no
 * record was given out meanwhile.
 */
bool fw_rt_is_nobodys_(const struct fw_rt_task *t, uint32_t slot, uint32_t d);

/*
 * The task in that slot is said to be in a section of the lock, and to live or to be reaped.  0;
 * EUCLEAN: that cannot be, since somebody has written over its record.  Fills in fw_rt_strerror().
 */
int fw_rt_check_holder_(struct fw_rt_task *t, uint32_t slot, uint32_t d);

/* death.c: its thread is dead: marks record and locks (idempotent; any task may call it). */
void fw_rt_reap_(struct fw_rt_task *t, uint32_t slot);

/* Frees what bears the calling thread's id, which another one had before.  It is no task yet. */
void fw_rt_reap_former_(struct fw_rt_task *t);

/* A wait begins, for tools; false: it is part of one that has begun already. */
bool fw_rt_wait_begins_(struct fw_rt_task *t);
void fw_rt_wait_ends_(struct fw_rt_task *t, bool is_new);

/* period.c: the task has begun, and its first job with it. */
void fw_rt_first_job_(struct fw_rt_task *t);

/* wake.c (tier A): lets those go first who outrank the task (fw_rt_ahead).  0, EXDEV, EUCLEAN. */
int fw_rt_yield_to_first_(struct fw_rt_task *t);

/* Is the thread still on its CPU?  Asked in slow paths; fills in fw_rt_strerror().  0, EXDEV. */
int fw_rt_check_cpu_(struct fw_rt_task *t);

static inline bool fw_rt_has_any_(const struct fw_rt_task *t)
{
    return t->depth != 0 || (fw_load64_relaxed(&t->record->held) & (t->quick | t->boosts)) != 0;
}

#endif
