/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_SUPPORT_KILL_AT_STEP_H
#define FW_TEST_SUPPORT_KILL_AT_STEP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "processes.h"

/*
 * Kill at step n.  A case is one operation, which a process (the victim) performs again and again,
 * each time on objects as good as new; it is killed at step 0, then at step 1, 2 and so on, until
 * it completes the operation.  Each time the survivors must go on, and find what they were
 * promised.  The tables say what is stepped, at which steps the victim ends and how, and what is
 * checked; this is the only code that does it.
 */
enum kill_unit {
    KILL_CALLS,        /* calls of fw_step_: kill_at_step_calls.h, compiled into a library, has it
                          called before each store to shared memory and each system call */
    KILL_INSTRUCTIONS, /* instructions of the CPU, */
    KILL_SYSTEM_CALLS, /* entries to and exits from system calls: by ptrace, or the test is skipped
                          with the reason */
};

/* What becomes of the victim at its step. */
enum kill_ending {
    KILLED,
    KILLED_AWAITED, /* it stops there, others arrive and wait for it, and then it is killed */
    CONTINUED,      /* it stops there, others arrive, and it completes its operation */
    THREAD_EXITS,   /* a thread of this process, which ends there without cleaning up */
    BESIDE,      /* nobody dies: the victim stops before each step and each look at shared memory,
                       or sleeps; another process performs `second`, to its end or until it sleeps;
                       then the victim goes on */
    WATCHED,     /* nobody dies: `watch` is called at each step of one victim */
    KILLED_TWICE /* the first victim at step n; a second one performs `second`, and is killed at
                       step m: for all n and m, in brief for a third of them (only cases
                       that have a second, and no peer) */
};
#define KILL_ENDING(ending) (1U << (ending))
#define KILL_ENDINGS_OF_PROCESS                                                   \
    (KILL_ENDING(KILLED) | KILL_ENDING(KILLED_AWAITED) | KILL_ENDING(CONTINUED) | \
     KILL_ENDING(KILLED_TWICE))

struct kill_case {
    const char *name;
    void (*reset)(void);   /* the objects as they are before */
    void (*peer)(void);    /* somebody who is there before the victim; NULL: nobody */
    void (*before)(void);  /* the victim, not counted; NULL: nothing */
    void (*act)(void);     /* the victim, counted; it may end its process itself, with status 0 */
    void (*second)(void);  /* the second victim, counted; NULL: only one */
    void (*survive)(void); /* anybody, afterwards, any number of times; at last with nobody else */
    unsigned changes;      /* how often the outcome differs from that of the step before */
};

/* Where a peer comes and goes by its own clock, a step is not the same one in each run. */
enum { ANY_CHANGES = 1000, CHANGES_BESIDE /* any, and the ending is BESIDE */ };

/* Cases of one object; the last one has no name. */
struct kill_table {
    const char *name;
    const struct kill_case *cases;
    void (*prepare)(void); /* once */
    void (*after)(void);   /* after each run; NULL: nothing */
    enum kill_unit unit;
    unsigned endings;      /* bits; 0: KILL_ENDINGS_OF_PROCESS */
    unsigned stride;       /* only at every stride-th step; 0: at each */
    void (*watch)(void);   /* for WATCHED */
    void (*witness)(void); /* what others do while the victim is stopped; NULL: survive */
    unsigned witnesses;    /* 0: one */
    bool is_witness_first; /* always until it ends or sleeps; else at every second step */
};

/* Performs the cases of a table, or one of them.  Returns how many victims were killed. */
unsigned kill_at_each_step(const struct kill_table *t, const char *only);

/* A step of the test's own, in `act` or `second`; and what an instrumented library calls. */
void fw_step_(void);

/* The library is about to look at shared memory. */
void fw_look_(void);

#define KILL_NEVER UINT32_MAX

/* What all processes of a run share; zero at its beginning. */
struct kill_shared {
    unsigned at;        /* the step of the last victim; KILL_NEVER: it was not to end */
    int outcome;        /* what this run led to, as far as the caller can tell: see `changes` */
    bool is_peer_ready; /* peer_is_ready */
    int admission;      /* 1: admit_peer, 2: await_admission */
    pid_t peer, victim; /* the victim: once it has begun to act */
    pid_t mortal[16];   /* the victims, and the processes of run_and_die, in this order */
    unsigned mortals;
    bool has_stopped;   /* the victim was stopped at its step; it may go on by now */
    bool is_through;    /* the victim has come to the end of `act` */
    bool is_over;       /* so it has, or it is dead */
    bool is_alone;      /* nobody else is there any more: for `survive` */
    uint64_t a, b;      /* data under a lock: equal, except while somebody changes them */
    uint64_t last;      /* generation seen last */
    uint64_t words[16]; /* the table's own */
};
extern struct kill_shared *shared;

/* By a peer, when it is where it wants to be when the victim arrives, or about to sleep there. */
void peer_is_ready(void);

/* By a peer: until the victim sleeps, is stopped, or is dead. */
void await_victim_idle(void);

/* By a peer: until the victim begins to act; until it is through, or stopped, or dead. */
void await_victim_begun(void);
void await_victim_done(void);

/*
 * For a peer that is to sleep on what the victim holds: `before` ends with admit_peer, and the peer
 * begins with await_admission, and then does what makes it sleep.
 */
void admit_peer(void);
void await_admission(void);

/* Adds to the outcome. */
void add_outcome(int n);

/* A process that does so and ends, without cleaning up. */
void run_and_die(void (*body)(void));

/*
 * Fails, unless that is the id of a process of this run that has died, or may have: a victim or one
 * of run_and_die's, but not the caller; or 0, which means that nobody knows any more.
 */
void expect_dead(pid_t process);

/* Somebody beside the victim, of the victim's kind: a process, or (THREAD_EXITS) a thread. */
struct kill_actor {
    void (*body)(void);
    pid_t process;
    pthread_t thread;
};
void kill_actor_start(struct kill_actor *a, void (*body)(void));
void kill_actor_finish(struct kill_actor *a);

#endif
