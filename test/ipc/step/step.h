/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_STEP_H
#define FW_TEST_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <furwock/bits/deadline.h>

#include "processes.h"

/*
 * Death at step n: a row of a table is one operation, which a process (the victim) does again and
 * again, each time in an object as good as new, and each time dies one step later, until it gets
 * through.  Steps are what other processes can see (step/atomic.h).  Each time the others must go
 * on, and find what they were promised.
 *
 * A victim ends in one of three ways: it is killed at its step; or it stops there, others come and
 * wait for it, and then it is killed; or it stops, others come, and it goes on.
 *
 * A row with BESIDE is played otherwise: nobody dies, and the victim stops before each step and
 * before each look at shared memory.  While it stands there (or as soon as it sleeps), another
 * process comes and does `repair`, to its end or until it sleeps; then the victim goes on.
 *
 * And each row with a repair is played with two victims: the first dies at step n, a second one
 * repairs and dies at step m, for all n and m.
 */
struct row {
    const char *name;
    void (*reset)(void);   /* the objects as they are before */
    void (*company)(void); /* another process, there before the victim; NULL: none */
    void (*before)(void);  /* the victim, not counted; NULL: nothing */
    void (*act)(void);     /* the victim, counted */
    void (*repair)(void);  /* the second victim, counted; NULL: only one */
    void (*survive)(void); /* anybody, afterwards, any number of times; at last with nobody else */
    unsigned changes;      /* so often the outcome is another one than at the step before */
};

/* Where company comes and goes by its own clock, a step is not the same one in each run. */
enum { ANY_CHANGES = 1000, BESIDE };

/* Rows of one object; ends with a row without a name. */
struct table {
    const char *name;
    const struct row *rows;
    void (*prepare)(void); /* once */
};

extern const struct table mutex_table;

/* A step of the test's own, in `act` or `repair`; and what the library calls. */
void fw_step_(void);

/* The library is about to look at shared memory. */
void fw_look_(void);

/* Where all meet: in memory that they share. */
struct meeting {
    int outcome;   /* what this run led to, as far as the caller can tell: see `changes` */
    int is_there;  /* is_multithreaded */
    int is_let_in; /* become_multithreaded, and 2: it has come */
    pid_t company;
    pid_t victim;       /* once it has begun to act */
    bool is_through;    /* the victim has come to the end of `act` */
    bool is_alone;      /* nobody else is there any more: for `survive` */
    uint64_t a, b;      /* data under a lock: equal, except while somebody changes them */
    uint64_t last;      /* generation seen last */
    uint64_t words[16]; /* the table's own */
};
extern struct meeting *here;

/* The region, and an object in it. */
struct fw_region *region_of_all(void);
void *object_new(size_t size);

/* By `company`, when it is where it wants to be when the victim comes, or about to sleep there. */
void is_multithreaded(void);

/* By `company`: until the victim sleeps, is stopped, or is dead. */
void until_victim_rests(void);

/* By `company`: until the victim begins to act; until it is through, or stopped, or dead. */
void until_victim_acts(void);
void until_victim_is_done(void);

/*
 * For company that is to sleep on what the victim holds: `before` ends with become_multithreaded,
 * and company begins with come_second, and then does what makes it sleep.
 */
void become_multithreaded(void);
void come_second(void);

/* Adds to the outcome. */
void count(int n);

/* A deadline so far away. */
fw_deadline in_ms(long ms);

/* A process that does so and ends, without cleaning up. */
void one_that_dies(void (*body)(void));

/* Plays a table; returns how many processes it killed. */
unsigned play(const struct table *t, const char *only);

#endif
