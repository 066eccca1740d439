/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_RT_SCX_PAGE_H
#define FW_RT_SCX_PAGE_H

/*
 * What the scheduler of tier B (sched.bpf.c, in the kernel) and its tasks have between them: memory
 * of BPF arrays that both map.  Includes nothing: whoever includes it has uint32_t and uint64_t.
 *
 * file in FW_RT_SCX_MOUNT  what is in it                             who may
 * -----------------------  ----------------------------------------  -----------------------------
 * state                    one struct fw_rt_scx_state                all read; the scheduler writes
 * pages-UID                FW_RT_SCX_PAGES pages of the user: one    that user and the scheduler
 *                          for each slot of the state, and after     read and write
 *                          those one that its tasks share
 * permits-UID              a BPF arena: a page for each slot of the  the user reads; the scheduler
 *                          state, or none there: a fault             makes pages and frees them
 * works                    what closes permits: the kernel does not  root
 *                          drop it as long as this is there
 * link                     the scheduler: it ends when this is gone  root
 * ticks                    its timer, which would end without it     root
 *
 * Users share nothing except the CPUs: locks belong to one user, and groups to one key of that user
 * (`group`).  There is one state, so that ceilings are a CPU's, whoever has the locks.  Nothing
 * that a task writes can harm another user's data or locks: it may hold what it has opened, under
 * ceilings up to the priority that is granted to the user.  But locks that boost (MPCP, FMLP+) put
 * a task that has one above all base priorities of its CPU: a task that is granted any priority
 * there can hold up all tasks of the CPU.
 *
 * All users share FW_RT_TASKS slots and FW_RT_LOCKS locks.  A user has the slots it is granted,
 * and one more for all its dead who are still in queues; of locks its share, so that nobody can
 * take all that there are (but root).  A task that is granted no number of slots has its share of
 * those, too.
 *
 * Starting makes new files, and a new `generation`.  A mapping of the old ones keeps saying that
 * the scheduler is gone; tasks of the one that was are nobody to the new one.
 *
 * Asking.  A task writes what it asks for into its page, `op` last, and calls sched_yield() until
 * `op` is 0; then `result` is 0 or an errno, and `desc` may have been changed.  A call that returns
 * and leaves `op` as it was says nothing; a task that sees it looks at `alive` and `away`, and
 * calls again.  A task that waits is let through for a moment now and then: it can die, and it can
 * look.  Where `away` is set, it sleeps for a moment between the calls: it might spin above its own
 * scheduler.  A task that is away is answered from its CPU, within 100 ms; but LEAVE needs it under
 * the scheduler.
 *
 * op       asks for                 needs                                    result
 * -------  -----------------------  ---------------------------------------  ----------------------
 * JOIN     to be the task of this   affinity to `cpu` alone; tid, cpu, base  0; EPERM: not granted;
 *          slot, which was FREE     group, name, period, deadline, budget;   EBUSY: slot is taken,
 *          in the state             locked, unlocked, away: 0                or the thread has one;
 *                                                                            EXDEV: affinity;
 *                                                                            EAGAIN: too many tasks
 *                                                                            of this user
 * LEAVE    to be none any more      no lock held                             0
 * OPEN     the lock of that name,   name, kind, protocol, ceiling (0: the    0, and desc; EINVAL,
 *          group and user           highest base of its users)               EEXIST, EXDEV, ENOSPC,
 *                                                                            ENOTSUP as fw_rt_open;
 *                                                                            EPERM: ceiling
 * LOCK     lock `desc`, and waits   opened                                   0, EOWNERDEAD: has it;
 *                                                                            EINVAL, EDEADLK;
 *                                                                            EXDEV: away, and it
 *                                                                            has a ceiling
 * TRY      the same, no waiting     the same                                 also EBUSY
 * UNLOCK   to pass it on            see below                                0
 *
 * Locks with ceilings (kinds IPCP and PCP) have no word of their own.
 *   lock    CAS on `locked`, which has CAN_LOCK: with bit d.  If not: LOCK.
 *   unlock  AND bit d out of `locked`; then, if unlock_call is set: UNLOCK.
 * All changes of `locked` are atomic for other CPUs (LOCK prefix): the scheduler may change it
 * while the task runs (a change of affinity, the scheduler's end).
 *
 * Of those, PCP-DU-PF's have bits in `marked`, which the task alone writes, and permits
 * (bpf/sched/permits.bpf.c).
 *   lock    store `marked` with bit d; read the own slot's page of the permits.  A fault: LOCK
 *           (TRY); refused: bit d out of `marked`.
 *   unlock  store `marked` without bit d; then, if unlock_call is set: UNLOCK.
 * The scheduler never writes it, so both are plain stores, also while others change `locked`.
 *
 * Locks that boost (kinds MPCP and FMLP) have a queue: a bit for each task that has the lock or
 * waits for it.  The scheduler never adds to it, and takes only dead tasks out.
 *   lock    OR bit d into `locked`; add the own slot's bit to queue[d] (fetch-and-add or -or).  Was
 *           it 0 before: has the lock.  If not: LOCK.
 *   unlock  AND the own bit out of queue[d].  Are bits left: UNLOCK, bit d of `locked` still set:
 *           the scheduler hands over and clears it.  If none: AND bit d out of `locked`; FMLP:
 *           unlocked = 1 (not before: until then its request is as old as it was); then, if
 *           unlock_call is set: UNLOCK.
 *   trylock CAS queue[d] 0 -> the own bit, bit d of `locked` set before, and cleared if it fails;
 *           then it may ask by TRY, for the dead may be all that is in the queue.
 * token[d] is 1 while the lock has been left and the next has not yet asked for it; it is part of
 * what goes on without the scheduler:
 *
 * The end of the scheduler (alive == 0), which comes at any time.  No page has CAN_LOCK then, and
 * none gets it again; nobody answers: an `op` that is still set then, looked at again after
 * `alive`, stays so.  Tasks take turns by themselves, by what is there:
 *   ceilings  `locked` and `marked` of all pages of the user whose slots are LIVE in the state say
 *             who has what (who waits clears its bit in `marked` first); to set a bit, take
 *             `sched_lock` of the shared page, look for the bit in all other pages, set it in the
 *             own page, give `sched_lock` back.  Nobody needs `sched_lock` to leave.
 *   queues     who has left a queue with others in it sets token[d] to 1 and wakes a waiter; who
 *             waits takes it by CAS 1 -> 0.
 * The state's records are then as the scheduler saw them last, and tell who was alive.
 *
 * SCX1  A task runs with CAN_LOCK only on its CPU (being allowed there is not enough: the kernel
 *     moves it later), where fw_rt_can_lock says so of all that the CPU's other tasks have, and
 *     none of its locks waits to tell its next owner that the last one died.
 * SCX2  `alive` is 0 only after CAN_LOCK has been taken out of every page, forever, and all
 *     permits have been closed.
 * SCX3  Between leaving a queue with others in it, and one of those having the lock, there is
 *     exactly one of: an unlock that has not been answered, a token, an `op` of LOCK answered.
 */
#include "rt/state.h"

#define FW_RT_SCX_MOUNT "/run/furwock/rt"
#define FW_RT_SCX_STATE FW_RT_SCX_MOUNT "/state"
#define FW_RT_SCX_PAGES_OF FW_RT_SCX_MOUNT "/pages-%u" /* uid */
#define FW_RT_SCX_LINK FW_RT_SCX_MOUNT "/link"
#define FW_RT_SCX_PERMITS_OF FW_RT_SCX_MOUNT "/permits-%u" /* uid */

#define FW_RT_SCX_VERSION 4u
#ifndef FW_RT_SCX_PAGE_SIZE /* the model has smaller pages */
#define FW_RT_SCX_PAGE_SIZE 4096u
#endif
#define FW_RT_SCX_SHARED FW_RT_TASKS /* the page after those of the slots */
#define FW_RT_SCX_PAGES (FW_RT_TASKS + 1)
#define FW_RT_SCX_GRANTS 16u
#define FW_RT_SCX_PRIORITIES 49u /* FW_RT_PRIORITY_MAX */
#define FW_RT_SCX_REASON 96u
#define FW_RT_SCX_PERMIT_PROTOCOL 5u /* FW_RT_PCP_DU_PF */
#ifndef FW_RT_SCX_NOTES              /* the model keeps fewer */
#define FW_RT_SCX_NOTES 1024u        /* a power of two */
#endif

/*
 * Above all priorities, in ns (sched.bpf.c, SCHED3): a task that has waited for a lock for
 * TURN_EVERY has its CPU for TURN, one of the CPU's tasks each TURN_EVERY; threads that are no
 * tasks have it for OTHERS, where tasks have had it for OTHERS_EVERY while those waited.  Slices
 * end with the kernel's tick.  Where many of those wait, each is on the CPU within OTHERS_WITHIN,
 * for however short a time.
 */
#define FW_RT_SCX_TURN_NS 1000000ull
#define FW_RT_SCX_TURN_EVERY_NS 250000000ull
#define FW_RT_SCX_OTHERS_NS 2000000ull
#define FW_RT_SCX_OTHERS_EVERY_NS 1000000000ull
#define FW_RT_SCX_OTHERS_WITHIN_NS 20000000000ull

enum fw_rt_scx_op {
    FW_RT_SCX_NOTHING,
    FW_RT_SCX_JOIN,
    FW_RT_SCX_LEAVE,
    FW_RT_SCX_OPEN,
    FW_RT_SCX_LOCK,
    FW_RT_SCX_TRY,
    FW_RT_SCX_UNLOCK
};

/*
 * Is the task where it belongs?  When it goes to another class, the kernel does not say whether it
 * does or the scheduler comes to its end: the scheduler knows that when it is asked the next time.
 */
enum fw_rt_scx_away {
    FW_RT_SCX_HERE,
    FW_RT_SCX_AWAY, /* not on its CPU, or not under this scheduler: EXDEV */
    FW_RT_SCX_LEFT  /* AWAY, or the scheduler ends: asks, and sleeps between */
};

/* What the library keeps in a page's `spare`. */
enum {
    FW_RT_SCX_STARTED, /* when the thread began: its id may be given out anew */
    FW_RT_SCX_CLAIM    /* the thread that the page is for, or was; it may ask by it */
};

/* A task's page: it and the scheduler write. */
struct fw_rt_scx_page {
    uint64_t locked;      /* a bit for each lock that it has, and FW_RT_CAN_LOCK */
    uint32_t unlock_call; /* the scheduler: the next unlock is to call UNLOCK */
    uint32_t unlocked;    /* FMLP: has unlocked; the scheduler clears it */
    uint32_t op;
    uint32_t desc;
    uint32_t result;
    uint32_t away;   /* the scheduler: enum fw_rt_scx_away */
    uint64_t marked; /* the task alone: PCP-DU-PF's locks that it has, or is about to have */
    uint64_t spare[2];

    /* What JOIN and OPEN ask for. */
    uint32_t tid; /* as its own pid namespace has it */
    uint32_t cpu;
    uint32_t base;
    uint32_t kind;     /* enum fw_rt_kind */
    uint32_t protocol; /* fw_rt_protocol */
    uint32_t ceiling;
    uint64_t group;
    uint64_t period, deadline, budget;
    char name[FW_RT_NAME];

    /* What it tells of itself, for tools; the scheduler copies it into the record. */
    uint64_t jobs, misses;
} __attribute__((aligned(FW_RT_SCX_PAGE_SIZE)));

/* What a user's tasks share. */
struct fw_rt_scx_shared {
    uint64_t queue[FW_RT_LOCKS + 1];
    uint32_t token[FW_RT_LOCKS + 1];
    uint32_t sched_lock;            /* the library's, after the scheduler's end */
    uint32_t left[FW_RT_LOCKS + 1]; /* the library's, too */
} __attribute__((aligned(FW_RT_SCX_PAGE_SIZE)));

/* What is granted to a user. */
struct fw_rt_scx_grant {
    uint32_t uid;
    uint32_t lowest, highest;              /* base priorities */
    uint32_t tasks;                        /* at a time; to the loader 0: its share */
    uint32_t locks;                        /* at a time; the loader says: its share */
    uint64_t cpus[(FW_RT_CPUS + 63) / 64]; /* a bit each */
};

/* Counted since the start. */
struct fw_rt_scx_counts {
    uint64_t dispatches; /* decisions */
    uint64_t grants;     /* locks given by the scheduler */
    uint64_t donations;  /* decisions for a task that another one lends its CPU */
    uint64_t requests;   /* asked by sched_yield */
    uint64_t handed;     /* locks passed on from one task to another */
    uint64_t died;       /* tasks that died in a section */
    uint64_t relief;     /* times that other threads were let in for a moment */
    uint64_t not_queued; /* decisions for a task that could not be run */
    uint64_t turns;      /* times that a blocked task was let through to look */
    uint64_t late;       /* decisions that came later than FW_RT_SCX_LATE_NS after they were due */
    uint64_t opened;     /* permits */
    uint64_t closed;     /* permits */
    uint64_t stuck;      /* permits that could not be opened: a fault more */
};

/* Why the most urgent task of a CPU did not have it for a while, by what the scheduler did. */
enum fw_rt_scx_cause {
    FW_RT_SCX_TURN = 1,   /* a blocked task of the CPU was let through (sched.bpf.c, SCHED3) */
    FW_RT_SCX_STARVED,    /* threads that are no tasks had a slice (SCHED3) */
    FW_RT_SCX_BRIEF,      /* the same, for a moment */
    FW_RT_SCX_NOT_QUEUED, /* the chosen task was not in its queue */
    FW_RT_SCX_LATE        /* the CPU was asked to decide, and did so late (SCHED2) */
};

/* A decision is late from then on: on an idle machine it takes some 10 us. */
#define FW_RT_SCX_LATE_NS 50000u

/*
 * One such time.  A reader looks at `number` before and after: others may be writing.
 * Times are CLOCK_MONOTONIC.
 */
struct fw_rt_scx_note {
    uint64_t number;   /* of notes since the start, from 1 on; 0: is being written */
    uint64_t from, to; /* ns; to 0: until now */
    uint32_t cause;    /* enum fw_rt_scx_cause */
    uint32_t cpu;
    uint32_t slot; /* of the task that had the CPU; FW_RT_NONE: it was no task, or is not known */
    uint32_t unused;
};

/*
 * `state.alive`: 1 from the start to the end.  state.task[] and state.lock[] are as state.h has
 * them; `more[0]` of both is the group.  A slot's user is uid[slot], a lock's is lock_uid[lock].
 */
struct fw_rt_scx_state {
    struct fw_rt_state state;
    uint32_t version; /* FW_RT_SCX_VERSION */
    uint32_t grants;
    uint64_t generation; /* when it was started, CLOCK_BOOTTIME, ns; never 0 */
    uint64_t permits;    /* the address of all users' permits; 0: there are none, see no_permits */
    uint32_t uid[FW_RT_TASKS];
    uint32_t lock_uid[FW_RT_LOCKS + 1];
    struct fw_rt_scx_grant grant[FW_RT_SCX_GRANTS];
    struct fw_rt_scx_counts counts;
    uint64_t woke[FW_RT_TASKS]; /* ns: when the slot's task could run again last */
    uint64_t noted;             /* notes since the start: number n lies at (n - 1) % NOTES */
    struct fw_rt_scx_note note[FW_RT_SCX_NOTES];
    int64_t exit_code;
    uint32_t exit_kind;            /* the kernel's: 64 by itself, 65 by `furwock rt stop` ... */
    char reason[FW_RT_SCX_REASON]; /* "" while it is alive */
    char details[FW_RT_SCX_REASON];
    char no_permits[FW_RT_SCX_REASON];
};

_Static_assert(sizeof(struct fw_rt_scx_page) == FW_RT_SCX_PAGE_SIZE, "one page");
_Static_assert(sizeof(struct fw_rt_scx_shared) == FW_RT_SCX_PAGE_SIZE, "one page");

#endif
