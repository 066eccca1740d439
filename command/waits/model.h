/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_WAITS_MODEL_H
#define FW_COMMAND_WAITS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/waits/waits.h"

/*
 * What is known about waits for locks: of a period that was watched (watch.h), or of a recording
 * that has been read (load.h).  What shows it (table.h, flame.h and others) does not ask which.
 *
 * The figures of a lock are exact.  Its sites are of samples, each of which stands for `weight`
 * waits: their shares are estimates.
 */
struct waits_frame {
    const char *function; /* that the address lies in; NULL: unknown */
    const char *called; /* what the frame inside was called as, by the call itself; NULL: unknown */
    const char *file;   /* of the source; NULL: unknown */
    const char *module; /* path; "[heap]" and the like; NULL: unknown */
    uint64_t offset;    /* in the module's own addresses */
    uint64_t address;
    int line;
    bool is_guess; /* found by searching the stack */
    unsigned id;   /* counted from 0 */
};

struct waits_stack {
    const struct waits_frame **frames; /* innermost first */
    unsigned count;
    unsigned first, last; /* of those that are the program's own: [first, last) */
    unsigned id;          /* counted from 0 */
};

/*
 * Which thread waited, and which one ended these waits.  waker NULL: nobody by futex, or it was not
 * seen.
 */
struct waits_site {
    const struct waits_stack *waiter, *waker;
    double waits, ns; /* estimates */
    uint64_t longest; /* ns */
    unsigned samples;
};

enum waits_class {
    WAITS_LOCK, /* exclusion: to wait for it is contention */
    WAITS_OTHER /* a condition, a semaphore, the end of a thread: waiting may be its purpose */
};

struct waits_process;

struct waits_lock {
    struct waits_process *process;
    uint64_t address;
    const char *name; /* of a variable that it is or lies in; NULL: none */
    const char *kind;
    enum waits_class class;
    uint32_t op;
    uint64_t waits, total, late, longest, by_other; /* of waits that have ended; times in ns */
    uint32_t buckets[FW_WAITS_BUCKETS];
    unsigned waiters;    /* now */
    uint64_t oldest;     /* ns: how long the first of them has waited */
    pid_t owner;         /* TID; 0: nobody, or unknown */
    bool owner_is_known; /* the lock says who holds it, or that nobody does */
    char owner_name[16];
    struct waits_site *sites;
    unsigned site_count;
};

/* A single wait, of a recording. */
struct waits_sample {
    uint64_t start, ns, late; /* ns; start: since the recording began */
    pid_t tid, waker;
    unsigned lock; /* its index */
    const struct waits_stack *waiter_stack, *waker_stack;
    uint32_t weight;
    bool by_other;
};

struct waits_thread {
    pid_t tid, pid;
    char name[16];
};

struct waits_process {
    pid_t pid;
    char name[16];
    char program[256]; /* path */
};

/* What could not be told. */
struct waits_lost {
    uint64_t waits;   /* not counted: tables were full */
    uint64_t samples; /* without their stacks: the buffer was full */
};

struct waits_view {
    double seconds;
    struct waits_lock **locks; /* the heaviest first, locks before others */
    unsigned count;
    struct waits_lost lost;
    unsigned processes;
    /* A recording has these, too: */
    struct waits_sample *samples;
    size_t sample_count;
    struct waits_thread *threads;
    size_t thread_count;
    double started; /* s since 1970 */
};

/* --- figures.c -------------------------------------------------------------------------------- */

/* The length in ns that this part of all waits does not exceed, within an eighth; 0: no waits. */
uint64_t waits_quantile(const struct waits_lock *lock, double part);

/* The bounds of a bucket in ns. */
void waits_bucket_bounds(unsigned bucket, uint64_t *from, uint64_t *to);

/* Sorts locks and sites as struct waits_view has them. */
enum waits_order { WAITS_BY_TIME, WAITS_BY_COUNT, WAITS_BY_LONGEST };
void waits_sort(struct waits_lock **locks, unsigned count, enum waits_order order);

/* The same of a view, whose samples name locks by their place in it. */
void waits_sort_with_samples(struct waits_view *v, enum waits_order order);

/* The site that has these stacks: a new one if there is none. */
struct waits_site *waits_site_of(struct waits_lock *lock, const struct waits_stack *waiter,
                                 const struct waits_stack *waker);

/* Of threads and processes: never NULL. */
const char *waits_lock_text(const struct waits_lock *lock, char *text, size_t size);
const char *waits_frame_text(const struct waits_frame *frame, char *text, size_t size);

#endif
