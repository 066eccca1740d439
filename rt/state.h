/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_RT_STATE_H
#define FW_RT_STATE_H

/*
 * What a group knows, in memory that its tasks share; for C and for the kernel's BPF.  Includes
 * nothing: whoever includes it has uint32_t and uint64_t.
 *
 * `held` is the paper's lock page.  Tier A: the task writes it, and those on its CPU read it there.
 * Tier B: the task writes a page of its own, which the scheduler alone reads; `held` is what the
 * scheduler has taken note of (fw_rt_note).
 *
 * held            meaning                                who may change it
 * --------------  -------------------------------------  ------------------------------------------
 * bit d set       the task has lock d, or is about to    tier A: the task.  Tier B: the scheduler
 *                 have it and still asks whether it may
 * bit d clear     it does not have it                          the same
 *
 * state           meaning                                left by
 * --------------  -------------------------------------  ------------------------------------------
 * FREE            no task has this record                who begins: CAS to JOINING
 * JOINING         its owner fills it in                  that one: LIVE
 * LIVE            a task's                               its thread: FREE; a task that finds it
 *                                                        dead: DEAD
 * DEAD            its thread ended in a section; the     the next who begins, once no bit is left
 *                 bits left in `held` are the locks      in `held`: CAS to JOINING
 *                 that it took along
 *
 * Legal:   unlock_call set without a waiter (one needless call); a ceiling above all
 *          users' priorities.
 * Illegal: unlock_call clear while somebody waits for one of the task's locks to be left.
 */

#ifndef FW_RT_TASKS /* the model has smaller groups */
#define FW_RT_TASKS 64u
#define FW_RT_LOCKS 63u
#define FW_RT_CPUS 256u
#endif
#define FW_RT_PROXIES FW_RT_TASKS /* each task waits at one */
#define FW_RT_NAME 32u
#define FW_RT_NONE 0xffffffffu /* no task, no lock */

/* In `begun`, for each lock under a ceiling whose owner has died, and nobody has been told yet. */
#define FW_RT_ORPHANED (1u << 25)

#define FW_RT_FORMAT 2u /* of all below; furwock/rt.h has it, too */
#define FW_RT_HEAD_SIZE 16u
#define FW_RT_MAGIC 0x315f74725f777566ull /* "fuw_rt_1" */

/* In a task's page (tier B), beside its locks: it may take others without asking. */
#define FW_RT_CAN_LOCK (1ull << 63)

enum fw_rt_record_state { FW_RT_FREE, FW_RT_JOINING, FW_RT_LIVE, FW_RT_DEAD };

/* How a lock decides; each protocol of the public header is of one of these kinds. */
enum fw_rt_kind {
    FW_RT_KIND_NONE,
    FW_RT_KIND_PIP,  /* who has it inherits */
    FW_RT_KIND_IPCP, /* who has it runs at its ceiling */
    FW_RT_KIND_PCP,  /* nobody takes a lock against the ceiling */
    FW_RT_KIND_MPCP, /* who has it is boosted by ceilings, the most urgent waiter is next */
    FW_RT_KIND_FMLP  /* who has it is boosted by age of the request, the oldest waiter is next */
};

/*
 * Tier A: a word of which the kernel knows, and memory for its entry in a thread's robust list
 * (sys/robust.h).  The states are in death.c.
 */
struct fw_rt_liveness {
    uint32_t word;
    uint32_t spare;
    uint64_t list[4];
};

struct fw_rt_task_record {
    /* What the fast paths touch. */
    uint64_t held;
    uint64_t stamp;       /* FMLP+: when the lock that it has was asked for, by the CPU's clock */
    uint32_t unlock_call; /* somebody waits for an unlock: the next one calls the slow path */
    uint32_t unlocked;    /* FMLP+, tier B: has unlocked since it was dispatched */
    uint32_t base;        /* priority, larger is more urgent */
    uint32_t cpu;
    uint32_t request; /* the lock that it asks for and has not got, plus 1; 0: none */
    uint32_t ready;   /* it could run: neither asleep nor without a job */
    uint32_t state;
    uint32_t tid;
    /* tier A: futex that inherits, around unlock_call, boost, and around its id in proxies */
    uint32_t record_lock;
    uint32_t boost; /* tier A: the kernel's priority that it has instead of base; 0: base */

    /* The rest. */
    uint64_t ticket;  /* FMLP+: its position in the queue of the lock that it waits for */
    uint64_t started; /* when its thread began (sys/origin.h, fw_thread_about_); 0: not known */
    uint64_t opened;  /* locks, a bit each */
    uint64_t period, deadline, budget; /* ns */
    uint64_t jobs, misses;
    uint64_t since;  /* CLOCK_MONOTONIC, ns: when it began to wait; 0: it does not */
    uint32_t grant;  /* tier A: futex on which it waits for a lock under MPCP, FMLP+ */
    uint32_t behind; /* tier A: the lock for whose section it waits, plus 1; for tools */
    uint64_t worst;  /* the longest wait for a lock, ns */
    char name[FW_RT_NAME];
    uint32_t proxy;  /* tier A: the proxy at which it waits, plus 1 (proxy.c) */
    uint32_t reaped; /* DEAD, and nothing bears its id any more */
    uint64_t more[1];
    uint8_t
        at[FW_RT_LOCKS + 1]; /* tier A: by lock: the proxy at which others wait for it, plus 1 */
    struct fw_rt_liveness liveness[2]; /* tier A: of the thread; of whom it becomes by exec */
} __attribute__((aligned(64)));

struct fw_rt_lock_record {
    uint32_t kind;
    uint32_t protocol;   /* fw_rt_protocol; 0: nobody has opened it yet */
    uint32_t cpu;        /* IPCP and the PCP's: where all of its users are */
    uint32_t ceiling;    /* the highest base priority of a user, or more, if it was asked for */
    uint32_t counter;    /* MPCP, FMLP+: its owner, and whether one waits (tier A: boost_word.h) */
    uint32_t pi_word;    /* tier A: futex that inherits: PIP, the lock itself */
    uint32_t queue_lock; /* tier A: futex that inherits, around `waiters`, `tickets`, `owner` */
    uint32_t owner;      /* MPCP, FMLP+: the last who was known to get it, plus 1 */
    uint64_t users;      /* tasks that have opened it, a bit each */
    uint64_t waiters;    /* MPCP, FMLP+: tasks that wait for it */
    uint64_t tickets;    /* FMLP+: given out so far */
    uint32_t top, top_cpu, second; /* highest base of a user; where; the highest elsewhere */
    uint32_t asked;                /* the ceiling that was asked for; 0: computed */
    uint32_t died;   /* its owner has died in a section, and nobody has been told yet */
    uint32_t handed; /* unlocks that found a waiter on its way (tier B: the token) */
    char name[FW_RT_NAME];
    uint64_t more[1];
    uint32_t refused; /* tier A: times that the kernel did not let a waiter raise the owner */
    uint32_t spare;
} __attribute__((aligned(64)));

/* What the tasks of one CPU share: in a cache line that no other CPU writes. */
struct fw_rt_cpu_record {
    uint64_t clock; /* FMLP+: the logical clock (section IV-C) */
    uint64_t last;  /* tier A: who took the last lock under a ceiling, plus 1 (ceiling.c, CEIL7) */
} __attribute__((aligned(64)));

struct fw_rt_state {
    uint64_t magic;  /* with the format: in every format here, FW_RT_HEAD_SIZE bytes */
    uint32_t format; /* FW_RT_FORMAT of the creator's library */
    uint32_t tier;
    uint32_t alive;         /* tier B: the scheduler is there */
    uint32_t state_lock;    /* tier A: futex that inherits, around what opens and begins change */
    uint32_t tasks;         /* no record from this one on has ever been used */
    uint32_t locks;         /* the same for locks */
    uint32_t begun;         /* tier A: how often a record was given to a task; FW_RT_ORPHANED */
    uint32_t left;          /* tier B, after the scheduler's end: futex, counts unlocks */
    uint64_t group;         /* tier B: its number, for the scheduler; the user in the lower half */
    uint64_t generation;    /* tier B: of the scheduler */
    uint64_t pid_namespace; /* in which thread ids have a meaning; 0: not known */
    struct fw_rt_task_record task[FW_RT_TASKS];
    struct fw_rt_lock_record lock[FW_RT_LOCKS];
    struct fw_rt_cpu_record cpu[FW_RT_CPUS];
    uint32_t proxy[FW_RT_PROXIES]; /* tier A: futexes that inherit, for waiters (proxy.c) */
};

#endif
