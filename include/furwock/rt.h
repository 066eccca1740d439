/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_RT_H
#define FURWOCK_RT_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/annotate.h>
#include <furwock/bits/api.h>

FW_BEGIN_DECLS

/*
 * rt: real-time locks with bounded priority inversion, after Splet, Vanga, Brandenburg and Dziadek,
 * "Fast on Average, Predictable in the Worst Case: Exploring Real-Time Futexes in LITMUS^RT" (RTSS
 * 2014), on kernels without a patch.  Link with libfurwock-rt.
 *
 * A group holds the tasks and locks that belong together.  A task is a thread that stays on one CPU
 * and has a fixed base priority.  It opens the locks that it is going to use; the priority ceilings
 * are computed from that, so all tasks must open their locks before the first of them locks one
 * under a protocol with ceilings.  (A task that opens a lock later raises the ceiling from then
 * on.)
 *
 * protocol          between tasks of    waiters by   nesting      uncontended
 * ----------------  ------------------  -----------  -----------  ------------------------------
 * FW_RT_PIP         any CPUs            priority     yes          no system call
 * FW_RT_IPCP        one CPU             priority     yes          no system call
 * FW_RT_PCP         one CPU             priority     yes          asks the kernel (the baseline)
 * FW_RT_PCP_DU      one CPU             priority     yes          no system call
 * FW_RT_PCP_DU_PF   one CPU             priority     yes          no system call, no atomics
 * FW_RT_MPCP        any CPUs            priority     refused      asks the kernel (the baseline)
 * FW_RT_MPCP_DU     any CPUs            priority     refused      no system call
 * FW_RT_FMLP        any CPUs            first come   refused      asks the kernel (the baseline)
 * FW_RT_FMLP_DU     any CPUs            first come   refused      no system call
 *
 * "DU" stands for deferred updates: the scheduler learns about a critical section only when it has
 * a decision to make.  (FMLP is the FMLP+ of the literature.)
 *
 * The group's tier says what enforces the protocols.  Tier A: the kernel's SCHED_FIFO and
 * priority-inheriting futexes; on any kernel, with the right to use SCHED_FIFO. Tier B: the
 * scheduler that `furwock rt start` loads (sched_ext, Linux 6.12 and later if it is configured).
 * What each guarantees and what it cannot guarantee: doc/guide/real-time.md.
 *
 * Rules
 *  - Priorities are 1 (least urgent) to FW_RT_PRIORITY_MAX; no two tasks of a CPU should share one.
 *    Tier A: that is below the kernel's threaded interrupt handlers (50), and boosted critical
 *    sections run at 50 or above.
 *  - Only the task itself uses its handle.  No calls in signal handlers.  A forked child
 *    inherits none of its parent's tasks; it may begin its own in a group that has a name.
 *  - Sections under FW_RT_PIP, FW_RT_IPCP and the PCP variants may be nested if all are under the
 *    same protocol, and must be left in reverse order.  Under the others a task holds one lock at a
 *    time.
 *  - fw_rt_wait_period and waits for locks are no cancellation points (pthread_cancel).
 *  - After it has slept by other means a task must call fw_rt_resumed, the only place at which tier
 *    A can delay it (fw_rt_wait_period and waits for locks call it themselves).
 *  - From fw_rt_task_begin to fw_rt_task_end the library owns the thread's policy and priority: it
 *    sets them when it boosts a task and when it restores it (tier A).  Changes by others are
 *    overwritten, and a task whose priority was changed is not boosted by the waiters of its lock.
 *  - FW_RT_MPCP_DU, FW_RT_FMLP_DU in tier A: a waiter boosts the owner, in whatever process it is.
 *    Between several users that takes CAP_SYS_NICE; without it blocking is unbounded if a thread of
 *    the owner's CPU sleeps outside the library.
 *  - The first lock under FW_RT_PCP_DU_PF that a process opens installs a handler for SIGSEGV.  It
 *    forwards other faults to the previous handler; the program must not install one later, nor
 *    block SIGSEGV in a task with such a lock.
 *  - If a task dies in a critical section, the next task acquires the lock with EOWNERDEAD.
 *
 * Errors are positive errno values; fw_rt_strerror() explains the calling thread's last one in a
 * sentence.
 *
 * Example: a control loop of 2 ms that shares data with other tasks on CPU 1
 *
 *     static double target;
 *
 *     int control(fw_rt_group *group, unsigned rounds)
 *     {
 *         struct fw_rt_task_options options = {
 *             .name = "control", .cpu = 1, .priority = 20, .period_ns = 2000000};
 *         fw_rt_task *task;
 *         unsigned state;
 *         int error = fw_rt_task_begin(&task, group, &options);
 *
 *         if (error != 0)
 *             return error;
 *         error = fw_rt_open(task, "state", FW_RT_PCP_DU, 0, &state);
 *         while (error == 0 && rounds-- > 0) {
 *             error = fw_rt_lock(task, state);
 *             if (error == EOWNERDEAD) {
 *                 target = 0;
 *                 error = 0;
 *             }
 *             if (error == 0) {
 *                 target += 1;
 *                 error = fw_rt_unlock(task, state);
 *             }
 *             if (error == 0)
 *                 error = fw_rt_wait_period(task, NULL);
 *         }
 *         fw_rt_task_end(task);
 *         return error;
 *     }
 */
/*
 * The format of groups: of everything that the tasks of one share.  A process opens a group only if
 * it has the format that this header says, whichever version of furwock created it; the scheduler
 * of tier B likewise: doc/guide/versions.md.
 */
#define FW_RT_GROUP_FORMAT 2

typedef struct fw_rt_group fw_rt_group;
typedef struct fw_rt_task fw_rt_task;

typedef enum fw_rt_protocol {
    FW_RT_PIP = 1,   /* priority inheritance (section II-C) */
    FW_RT_IPCP,      /* immediate priority ceiling (II-D) */
    FW_RT_PCP,       /* the original priority ceiling protocol, a system call each time (II-D) */
    FW_RT_PCP_DU,    /* the same with deferred updates: PCP-DU-BOOL (III-C) */
    FW_RT_PCP_DU_PF, /* the same by page faults (III-B); tier B */
    FW_RT_MPCP,      /* multiprocessor priority ceiling protocol (II-E) */
    FW_RT_MPCP_DU,   /* with deferred updates (IV-A) */
    FW_RT_FMLP,      /* FIFO multiprocessor locking protocol, FMLP+ (II-F) */
    FW_RT_FMLP_DU    /* with deferred updates (IV-B) */
} fw_rt_protocol;

enum { FW_RT_PROTOCOLS = FW_RT_FMLP_DU };

/*
 * The name of a protocol: "PIP", "IPCP", "PCP", "PCP-DU-BOOL", "PCP-DU-PF", "MPCP", "MPCP-DU",
 * "FMLP+", "FMLP+-DU"; NULL for other numbers.
 */
/* "PIP", "IPCP", "PCP", "PCP-DU-BOOL", "PCP-DU-PF", "MPCP", "MPCP-DU", "FMLP+", "FMLP+-DU"; NULL
 * for other numbers.  0 for other names; upper and lower case are the same. */
FW_API const char *fw_rt_protocol_name(fw_rt_protocol protocol);

/*
 * The protocol of that name, as fw_rt_protocol_name gives it; upper and lower case are the same.
 * 0: there is none.
 */
FW_API fw_rt_protocol fw_rt_protocol_named(const char *name);

typedef enum fw_rt_tier { FW_RT_TIER_ANY, FW_RT_TIER_A, FW_RT_TIER_B } fw_rt_tier;

enum {
    FW_RT_PRIORITY_MAX = 49, /* tier A has the priorities above it for boosting */
    FW_RT_TASKS_MAX = 64,    /* in a group, at a time */
    FW_RT_LOCKS_MAX = 63,    /* in a group */
    FW_RT_NAME_MAX = 31      /* bytes of a task's or a lock's name */
};

/*
 * Opens the group in the file or shared memory of that name (fw_region_open has the rules), or
 * creates it; with a name of NULL, a new group for the threads of this process.  ANY: tier B if its
 * scheduler runs and this process may use it, else tier A. The group belongs to one user: it is
 * created with the permissions 0600.
 *   0         *group is the group
 *   EINVAL    no such tier or name
 *   EPERM     the file belongs to neither the caller nor root, admits other users, or has a second
 *             name: fw_rt_group_open_shared opens it
 *   ENOTSUP   tier B: no such scheduler runs here; or the group is another pid namespace's
 *   EPROTO    a group of another format (FW_RT_GROUP_FORMAT), or of the other tier
 *   EUCLEAN   the file is no group, or it was overwritten
 *   ENOMEM; and what fw_region_open returns
 */
FW_NODISCARD FW_API int fw_rt_group_open(fw_rt_group **group, const char *name, fw_rt_tier tier);

/*
 * Opens or creates a group, as fw_rt_group_open, for the tasks of several users: any owner and
 * permissions of the file are accepted.  It is created with `permissions`, 0660 for instance, less
 * the umask.  Security depends on these and on the directory (in /dev/shm anyone may have created
 * the file first): a user with write access to a group can stop it, and can make those of its
 * tasks that are privileged (FW_RT_MPCP_DU, FW_RT_FMLP_DU) raise the priority of any thread.
 *   EINVAL    also: no name, or no such permissions
 */
FW_API int fw_rt_group_open_shared(fw_rt_group **group, const char *name, fw_rt_tier tier,
                                   unsigned permissions);

/* Closes the group.  EBUSY: this process still has tasks in it. */
FW_API int fw_rt_group_close(fw_rt_group *group);

/* The tier of the group: FW_RT_TIER_A or FW_RT_TIER_B. */
FW_API fw_rt_tier fw_rt_group_tier(const fw_rt_group *group);

struct fw_rt_task_options {
    const char *name; /* for tools; NULL: "task" and its number */
    int cpu;
    int priority;         /* base priority, 1 to FW_RT_PRIORITY_MAX, the most urgent */
    uint64_t period_ns;   /* 0: none; the task does not call fw_rt_wait_period */
    uint64_t deadline_ns; /* after the release of each job; 0: the period */
    uint64_t budget_ns;   /* execution time that a job must not exceed; 0: no limit */
};

/*
 * Makes the calling thread a task: sets its CPU and priority.  The first job is released now.
 * Allocates; the previous scheduling parameters are kept for fw_rt_task_end.
 *   0         *task is its handle
 *   EINVAL    no such priority or CPU; deadline above the period; a name that is too long
 *   EPERM     no right to use the priority (tier A: CAP_SYS_NICE or RLIMIT_RTPRIO; tier B: not
 *             granted to this user)
 *   EBUSY     the thread is a task already
 *   EAGAIN    FW_RT_TASKS_MAX tasks are there
 *   EXDEV, EUCLEAN as for fw_rt_resumed, which it includes; the thread is no task then
 *   ENOMEM
 */
FW_NODISCARD FW_API int fw_rt_task_begin(fw_rt_task **task, fw_rt_group *group,
                                         const struct fw_rt_task_options *options);

/*
 * Restores the thread's previous scheduling.  EBUSY: it holds a lock.  After 0 the handle is
 * invalid.
 */
FW_API int fw_rt_task_end(fw_rt_task *task);

/*
 * Opens the lock of that name, or creates it; declares that the task is going to use it.
 * With a ceiling of 0 it is computed: the highest base priority of the tasks that have opened it.
 *   0         *lock is its descriptor, in this group
 *   EINVAL    unknown protocol; the ceiling lies below the task's priority, or below another
 *             user's, or above FW_RT_PRIORITY_MAX; or the name is empty or too long
 *   EEXIST    the lock exists with another protocol or ceiling
 *   EXDEV     its protocol is for the tasks of one CPU, and it is used on another one
 *   ENOTSUP   the tier has no such protocol here; PCP-DU-PF: the thread blocks SIGSEGV, or the
 *             program has put its own handler in the place of the library's
 *   EPERM     tier A, MPCP and FMLP+: no right to SCHED_FIFO 98, which boosting needs
 *   ENOSPC    FW_RT_LOCKS_MAX locks are there
 */
FW_NODISCARD FW_API int fw_rt_open(fw_rt_task *task, const char *name, fw_rt_protocol protocol,
                                   int ceiling, unsigned *lock);

/*
 * Takes the lock if that is possible at once.
 *   0            the task has the lock
 *   EOWNERDEAD   the task has it; its previous owner died in the critical section
 *   EBUSY        it would have to wait
 *   EDEADLK      the task has it already
 *   EINVAL       not opened by this task
 *   EPERM        the protocol allows no such nesting
 *   EXDEV        the task has been moved from its CPU by others
 *   EUCLEAN      the group's data were overwritten so that no task could ever release the lock; the
 *                task does not have it
 */
FW_NODISCARD FW_API int fw_rt_trylock(fw_rt_task *task, unsigned lock);

/*
 * Takes the lock, waiting as its protocol says.  Results as for fw_rt_trylock, without EBUSY;
 * EDEADLK also if (PIP) a cycle of waiters would close.
 */
FW_NODISCARD FW_API int fw_rt_lock(fw_rt_task *task, unsigned lock);

/* EPERM: the task does not have it; EINVAL: not opened by this task. */
FW_API int fw_rt_unlock(fw_rt_task *task, unsigned lock);

/* The outcome of a job. */
struct fw_rt_job {
    uint64_t number;      /* from 0 */
    uint64_t released_ns; /* CLOCK_MONOTONIC */
    uint64_t finished_ns;
    uint64_t executed_ns; /* CPU time */
    uint32_t missed;      /* periods that began before the job finished, and are skipped */
    bool late;            /* finished after its deadline */
    bool over_budget;
};

/*
 * Ends the job, and sleeps until the next one is released: at the release plus the period, or at
 * the next later multiple of it. *job (may be NULL) receives the outcome of the job that has ended.
 *   0, EINVAL (the task has no period), EPERM (it has a lock), EXDEV and EUCLEAN as above
 */
FW_API int fw_rt_wait_period(fw_rt_task *task, struct fw_rt_job *job);

/*
 * After sleeping by other means: waits for the tasks of this CPU that go first. 0, EXDEV, EUCLEAN.
 */
FW_API int fw_rt_resumed(fw_rt_task *task);

/* Why the calling thread's last call failed: one sentence for people; "" after success. */
FW_API const char *fw_rt_strerror(void);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/rt.h>
#endif

FW_END_DECLS

#endif
