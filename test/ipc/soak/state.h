/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_IPC_SOAK_STATE_H
#define FW_TEST_IPC_SOAK_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/ipc/barrier.h>
#include <furwock/ipc/cond.h>
#include <furwock/ipc/journal.h>
#include <furwock/ipc/mutex.h>
#include <furwock/ipc/once.h>
#include <furwock/ipc/permits.h>
#include <furwock/ipc/region.h>
#include <furwock/ipc/rwlock.h>
#include <furwock/ipc/sem.h>

#include "processes.h"

/*
 * The state of the soak: processes of several threads, each with a slot.  A process is killed, and
 * another one takes its slots; except the first process, which is never killed: if it hangs, it is
 * seen.
 *
 * Each life of a process has a number, and each of its threads a mark (number and thread), which it
 * leaves wherever it holds something: right after it got it, until right before it gives it back.
 * So whoever gets it next finds the mark of a thread that died with it, knows when it was killed,
 * and that it must have been told; and a mark of one that lives is a broken lock.
 */
enum {
    PROCESSES = 5,
    THREADS = 4,
    LIVES = 1 << 20,
    SAMPLES = 1 << 21,
    NAMES = 40,
    ONCES = 1 << 12,
    UNITS = 3,
    QUEUE_CAPACITY = 8, /* of the queue */
    SEM_START = 3,
    MUTEXES = 3,
    RWLOCKS = 3
};

/* How a lock is repaired. */
enum { BY_HAND, BY_JOURNAL, BY_FUNCTION };

/* Data under a lock: a == b, except while a thread changes them. */
struct data {
    uint64_t holder; /* mark */
    uint64_t generation;
    uint64_t a, b;
    uint64_t readers[PROCESSES][THREADS]; /* marks */
};

struct queue {
    fw_ipc_mutex lock;
    fw_ipc_cond not_empty, not_full;
    uint64_t holder;
    uint64_t in, out, cells[QUEUE_CAPACITY]; /* what is in it: the numbers from out to in - 1 */
};

/* What lies in the region. */
struct things {
    fw_ipc_mutex mutex[MUTEXES];
    struct data under_mutex[MUTEXES];
    fw_ipc_rwlock rwlock[RWLOCKS];
    struct data under_rwlock[RWLOCKS];
    struct queue queue;
    fw_ipc_sem sem;
    uint64_t unit_holder[UNITS];
    fw_ipc_once once[ONCES];
    uint64_t once_value[ONCES];
    uint64_t once_now;
};

/* One thread's slot: what it does, and since when. */
struct slot {
    uint64_t mark, since;
    uint64_t doing;         /* an enum work; for reports */
    uint64_t is_at_sem;     /* within a call that changes the semaphore */
    uint64_t has_unit;      /* of it */
    uint64_t taken, posted; /* of the semaphore, by all that have had this slot */
    uint64_t rounds;
    char spare[64];
};

enum work {
    W_NOTHING,
    W_JOIN,
    W_MUTEX,
    W_READ,
    W_WRITE,
    W_UPGRADE,
    W_PUSH,
    W_POP,
    W_SEM,
    W_UNITS,
    W_BARRIER,
    W_ONCE,
    W_NAMES,
    WORKS
};
extern const char *const work_names[WORKS];

/* What all see beside the region. */
struct soak {
    uint64_t is_broken;
    char broken[300];
    uint64_t killed_at[LIVES]; /* ns; 0: not yet */
    uint64_t samples[SAMPLES]; /* ns, from a kill until what was held was got */
    uint64_t sample_count;
    const char *sample_of[SAMPLES]; /* what was got; all processes are forked from one */
    uint64_t done[WORKS];           /* how often */
    uint64_t told;                  /* how often a call answered EOWNERDEAD */
    uint64_t serials;               /* a bit for each round of the barriers has been given */
    uint64_t names[NAMES];
    struct slot slots[PROCESSES][THREADS];
};
extern struct soak *soak;

/* What a process has of the region. */
struct soak_mapping {
    fw_region *region;
    struct things *things;
    fw_ipc_permits *units;
    fw_ipc_barrier *patient, *strict; /* goes on without the dead; fails */
    fw_ipc_journal *mutex_journal, *rwlock_journal, *queue_journal;
};

/* A thread at work. */
struct worker {
    struct soak_mapping *mapping;
    struct things *things;
    struct slot *slot;
    unsigned process, thread;
    uint64_t mark;
    uint64_t random;
};

/* Makes the region under that name and all that is in it. */
void soak_make(const char *name, struct soak_mapping *mapping);

/* Joins it. */
void soak_join(const char *name, struct soak_mapping *mapping);

/* An invariant does not hold: the soak ends. */
void broken(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * The caller has got what, by its mark, somebody held (0: nobody did).  Notes how long ago that one
 * was killed (or that it was `wanted`, if that is later), and returns true if there was one.
 */
bool inherited(const char *what, uint64_t mark, uint64_t wanted);

/* The worker begins that; and has done it. */
void begins(struct worker *w, enum work work);
void has_done(struct worker *w, enum work work);

static inline unsigned one_of(struct worker *w, unsigned n)
{
    return (unsigned)(draw(&w->random) % n);
}

/* An error that no call should answer here. */
void unexpected(const char *call, int error);

/* A short pause, or none, in which the worker may be killed. */
void pause_randomly(struct worker *w);

/* --- What workers do ------------------------------------------------------------------------- */
void do_mutex(struct worker *w);
void do_read(struct worker *w);
void do_write(struct worker *w);
void do_upgrade(struct worker *w);
void do_hurry(struct worker *w);
void do_push(struct worker *w);
void do_pop(struct worker *w);
void do_sem(struct worker *w);
void do_units(struct worker *w);
void do_once(struct worker *w);
void do_names(struct worker *w);
void do_patient_round(struct worker *w);
void do_strict_round(struct worker *w);

/* Once in a process, before its threads work. */
void register_repairs(struct soak_mapping *mapping);

/* By the killer: a semaphore gets back what the dead have taken, or gives what they have posted. */
void correct_sem(struct soak_mapping *mapping);

/* At the end, when nobody else lives: everything can be had.  Returns how many holds leaked. */
unsigned leaked_holds(struct soak_mapping *mapping, unsigned deaths_at_sem);

#endif
