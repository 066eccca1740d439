/* SPDX-License-Identifier: MIT */
#ifndef FW_RT_ANALYSIS_H
#define FW_RT_ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>

#include "command/rt/taskset.h"

/*
 * Worst-case blocking and response times of a task set, by published bounds.
 *
 * Model.  Partitioned fixed priorities.  A task releases jobs at least its period T apart; a job
 * executes for at most C, and sleeps of its own accord for at most S in at most x pieces, never in
 * a section.  A late job makes its task leave out the periods that began meanwhile, so that a task
 * has at most one job at a time.  Blocking B of a job is the time in which it is neither executing
 * nor asleep of its own accord, and no task of its CPU with a higher base priority executes.
 *
 * Each formula takes a job apart into stretches in which it never lets go of its CPU by itself:
 * 1 + x of them, and under protocols that suspend across CPUs one more for each request.
 *
 * PIP, all users of each lock on one CPU.  Sha, Rajkumar and Lehoczky, "Priority Inheritance
 * Protocols: An Approach to Real-Time Synchronization", IEEE Transactions on Computers 39(9), 1990,
 * Theorems 3 and 6: a stretch is blocked by at most one section of each less urgent task, and at
 * most once by each lock.
 *     B = (1 + x) min(sum over less urgent tasks, sum over locks) of the longest such section
 *   Only sections count that can block: the lock has a user at least as urgent as the job, or
 *   such a user can come to wait for it through other locks.  The sum over locks holds without
 *   nesting only, and takes a lock once only if the job asks for it once and no more urgent task
 *   does: a PI futex that is left is handed to a task that waits, a less urgent task at last, which
 *   then is in the way of the next request.  Otherwise it takes all less urgent tasks' sections
 *   under it.  No bound where locks are nested in a circle (deadlock), or used on two CPUs (what is
 *   inherited there does not count here).
 *
 * IPCP and the PCP's.  The same paper, Theorem 12: a stretch is blocked by at most one section, of
 * a less urgent task and under a lock whose ceiling is at least the job's priority.  That the
 * immediate protocol has the same bound: Baker, "Stack-Based Scheduling of Realtime Processes",
 * Real-Time Systems 3(1), 1991.
 *     B = (1 + x) the longest such section
 *
 * MPCP.  Rajkumar, "Real-Time Synchronization Protocols for Shared Memory Multiprocessors", ICDCS
 * 1990; Lakshmanan, de Niz and Rajkumar, "Coordinated Task Scheduling, Allocation and
 * Synchronization on Multiprocessors", RTSS 2009, sections 3 and 4, with the repair below.
 *     H(s) = s + for each other task of its CPU: its longest section that is boosted as high
 *     w(q) = longest H of a less urgent user of q
 *            + sum over more urgent users h: ceil((w + R_h) / T_h) (sum of their H's on q)
 *     B = sum of w over the requests + (1 + x + requests) (sum over less urgent tasks of the CPU:
 *         longest section)
 *   H: from when a section gets the lock until it leaves it.  w: how long a request waits: for one
 *   less urgent owner, and for all that is more urgent.  The last term: while the job is ready, a
 *   less urgent task of the CPU is in at most one section that it asked for before.
 *
 * FMLP+.  Brandenburg, "The FMLP+: An Asymptotically Optimal Real-Time Locking Protocol for
 * Suspension-Aware Analysis", ECRTS 2014: requests are served, and boosted, in the order in which
 * they were made; so each other task delays a request by at most one section, and does so only if
 * it is on a CPU with a user of the lock.
 *     w(q) = sum over the other tasks on the CPUs of other users of q: longest section
 *     B    as for MPCP, with this w
 *
 * Response times.  Without sleeps and with locks of one CPU (PIP, IPCP, PCP): Joseph and Pandya,
 * "Finding Response Times in a Real-Time System", The Computer Journal 29(5), 1986, with blocking
 * as in Audsley et al., "Applying New Scheduling Theory to Static Priority Pre-emptive Scheduling",
 * Software Engineering Journal 8(5), 1993:
 *     R = C + B + sum over more urgent tasks h of the CPU: ceil(R / T_h) C_h
 * In all other cases a job of h may execute late, and then meet the next one of h:
 *     R = C + S + B + sum over h: ceil((R + min(R_h, T_h) - C_h) / T_h) C_h
 * Chen, Nelissen and Huang, "A Unifying Response Time Analysis Framework for Dynamic
 * Self-Suspending Tasks", ECRTS 2016.  (Taking the time that h sleeps for min(R_h, T_h) - C_h, as
 * earlier papers do, is wrong: Chen et al., "Many Suspensions, Many Problems", Real-Time Systems
 * 55(1), 2019.)
 *
 * Tier B.  Its scheduler puts two things above all priorities, so that threads can die and the
 * kernel's watchdog is content (rt/scx/page.h has the numbers):
 *   a turn    of a task that has waited for a lock for E = 250 ms: 1 ms; of each CPU's tasks one,
 *             at least E after the last one's beginning
 *   a slice   of threads that are no tasks, where tasks have had the CPU for M = 1 s while those
 *             waited: 2 ms, at least M after the last one's beginning
 * Both end with a tick of the kernel, so take up to a tick k longer, and a dispatch there and back.
 * They come as a sporadic task above all others would:
 *     R = ... + ceil(R / E) (1 ms + k) + ceil(R / M) (2 ms + k)
 * Nobody waits for a lock for longer than its job is there: no turns on a CPU whose tasks with
 * sections have R <= E.  And no slices where the CPU's longest busy period is at most M:
 *     L = sum over all tasks h of the CPU: ceil((L + min(R_h, T_h)) / T_h) C_h, and the turns
 * Where n of those threads wait, one comes in for a moment once in 10 s / n, where none has had the
 * CPU for that long: never, as long as n L <= 10 s, which is assumed.  Neither is blocking by the
 * definition above, for no task executes; so B has no such term.
 *
 * All are computed together, as the least fixed point.
 */

/* No bound: none is known, or it lies beyond 64 periods, or it takes too long to find. */
#define ANALYSIS_NO_BOUND UINT64_MAX

/* What the formulas do not know of: all 0 gives them as published. */
struct analysis_costs {
    uint64_t section; /* ns, for each section: lock, unlock and the switches that come of it */
    /*
     * ns, for each stretch: from when it should run until it is dispatched.  To a less urgent job
     * each such stretch of a more urgent one costs that twice, there and back.
     */
    uint64_t wake;
    uint64_t tick; /* tier B: of the kernel, ns; 0: tier A */
};

struct analysis_bound {
    uint64_t blocking, response; /* ns, of any job */
};

struct analysis {
    char unfit[160];     /* why the protocol is none for this set; "": it is one */
    bool is_schedulable; /* each response comes before its deadline */
    struct analysis_bound task[TASKSET_TASKS];
};

/* `protocol` is a fw_rt_protocol. */
void analysis_make(struct analysis *a, const struct taskset *set, int protocol,
                   struct analysis_costs costs);

#endif
