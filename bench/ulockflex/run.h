/* SPDX-License-Identifier: MIT */
#ifndef ULOCKFLEX_RUN_H
#define ULOCKFLEX_RUN_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "bench/adapters/adapter_head.h"
#include "measure/histogram.h"

/*
 * ulockflex-run: one run of one lock in one configuration, in a fresh process.
 *
 * Ulockflex is the micro-benchmark of Franke, Russell and Kirkwood, "Fuss, Futexes and Furwocks"
 * (OLS 2002), section 4.1: each task, in a tight loop, draws two random times, acquires its lock,
 * works for the one time, releases the lock and works for the other.  The program `ulockflex` plans
 * such runs and makes sense of them; this one only measures and prints a JSON object.
 *
 * The life of a run, as every task sees it in `control.phase`: WARM while tasks start and caches
 * fill, MEASURE for the time asked for, STOP.  Only MEASURE is counted.
 */
enum phase { PHASE_WARM, PHASE_MEASURE, PHASE_STOP };

/*
 * What is measured besides throughput.  Each of these disturbs the run a little, so each is made in
 * a run of its own whose throughput is not used.
 */
enum probe {
    PROBE_NONE,
    PROBE_WAITS,      /* the clock is read around each lock call */
    PROBE_CONTENTION, /* each lock call tries first, and counts how often that fails */
    PROBE_SYSCALLS    /* the kernel counts system calls */
};

/* The two ways to ask for a lock.  A mutex has one way, which then serves for both. */
enum mode { MODE_READ, MODE_WRITE, MODES };

struct calls {
    void (*lock)(void *lock);
    void (*unlock)(void *lock);
    int (*trylock)(void *lock); /* NULL: none */
};

/* What is measured: a mutex or a read-write lock, as its adapter describes it. */
struct subject {
    const adapter_head *head;
    size_t stride; /* from one lock in memory to the next */
    struct calls calls[MODES];
};

/* Where locks lie. */
enum memory {
    MEMORY_ANONYMOUS, /* shared, without a file; or what the lock needs */
    MEMORY_SHMAT,     /* a System V shared memory segment */
    MEMORY_FILE       /* a mapped file */
};

enum { REGIONS_MAX = 256 };

/* Two cache lines: CPUs fetch neighbours in pairs. */
#define LINE_PAIR 128

struct options {
    struct subject lock;
    bool processes;   /* tasks are processes, not threads */
    bool random_pick; /* a task picks a lock at random each time, instead of always using its own */
    unsigned tasks;
    unsigned locks;
    enum memory memory;
    unsigned regions; /* of memory, to which locks are assigned round robin */
    bool sharing;     /* iterations ask for a read lock or a write lock */
    double share;     /* then: the probability of a read lock */
    double lht_us;    /* mean time for which a lock is held */
    double nlht_us;   /* mean time between release and the next lock */
    double seconds;
    double rate; /* steps of work in a nanosecond on this machine; 0: find out */
    uint64_t seed;
    enum probe probe;
    long event;       /* PROBE_SYSCALLS: id of the tracepoint raw_syscalls:sys_enter */
    long fence_event; /* and of syscalls:sys_enter_membarrier; -1: none */
    pid_t parent;     /* end when this process ends; 0: do not care */
};

/* In shared memory, as is everything that the tasks write. */
struct control {
    alignas(LINE_PAIR) uint32_t phase; /* written by the main task only */
    alignas(LINE_PAIR) uint32_t started;
};

/*
 * The structure that each lock protects: updated after acquiring, verified before releasing.
 * A lock that lets two tasks in makes the verification fail or the serial number fall behind.
 * While a writer is inside, serial and mirror differ: that is the half-written state that no reader
 * may see.  Readers verify when they enter and when they leave, and write nothing.
 */
struct guarded {
    alignas(LINE_PAIR) volatile uint64_t owner; /* task number + 1; 0 while nobody is inside */
    volatile uint64_t serial;                   /* counts the acquisitions for writing */
    volatile uint64_t mirror;                   /* follows serial just before the release */
    uint64_t last;                              /* who was here before */
    uint64_t run;                               /* how many times in a row */
    uint64_t longest;
    uint64_t runs[4]; /* how many runs of 1, 2, 3 and more acquisitions by the same task */
};

/* Counts of one task, written by it alone. */
struct result {
    alignas(LINE_PAIR) uint64_t iterations; /* the main task reads this while the task runs */
    uint64_t violations;
    uint64_t reads;           /* iterations with a read lock */
    uint64_t measured[MODES]; /* iterations, lock calls that found the lock taken, ... in MEASURE */
    uint64_t contended[MODES];
    uint64_t cpu_ns;
    uint64_t useful_steps; /* of work, inside and outside */
    uint64_t voluntary;    /* context switches */
    uint64_t involuntary;
};

struct shared_state {
    const struct options *options;
    struct control *control;
    struct guarded *guarded; /* one for each lock */
    struct result *results;  /* one for each task */
    struct histogram *waits; /* MODES for each task; NULL unless PROBE_WAITS */
    unsigned char *regions[REGIONS_MAX];
    size_t lock_stride;
    void *base;
    size_t size;
    unsigned locks_ready; /* how many have been initialised */
};

/* What the main task saw in the measured time. */
struct window {
    double seconds;
    uint64_t *counts;         /* iterations of each task */
    int64_t syscalls;         /* -1: not counted */
    int64_t fences;           /* calls of membarrier; -1: not counted */
    const char *syscalls_why; /* why not; NULL: not asked for */
    unsigned late;            /* tasks that had not started when measuring began */
};

/* The same text for every failure: "ulockflex-run: ..." on stderr. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* subject.c: the lock of that name, a read-write lock before a mutex where there are both. */
bool subject_find(struct subject *s, const char *name, bool sharing);
void subject_names(FILE *out, bool sharing);

/* shared_state.c: shared memory and the locks in it. */
bool shared_open(struct shared_state *s, const struct options *o);
void shared_close(struct shared_state *s);
void *shared_lock(const struct shared_state *s, size_t i);

/* memory.c: a region for locks, zeroed, shared with forked processes; NULL with errno. */
extern const char *const memory_names[]; /* of enum memory; ends with NULL */
void *memory_take(const struct options *o, size_t size);
void memory_give(const struct options *o, void *memory, size_t size);

/* task.c: what one task does, from start to stop. */
void task_run(const struct shared_state *s, unsigned number);

/* measure.c: starts the tasks, measures, ends them; false, with a line on stderr, on failure. */
bool measure(struct shared_state *s, struct window *w);

/* summary.c: prints the run as a JSON object; returns the number of integrity violations. */
uint64_t summary_print(const struct shared_state *s, const struct window *w);

/* list.c: prints the locks that are there and those that are missing, as a JSON object. */
void list_print(void);

#endif
