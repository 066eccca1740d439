/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_WHO_WHO_H
#define FW_COMMAND_WHO_WHO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode.h"
#include "stacks.h"
#include "target.h"

/* What furwock who finds out: processes, their threads, what these wait for, and who has it. */

enum { WHO_HOLDERS = 64, WHO_NOTES = 32 };

#define WHO_NOBODY SIZE_MAX

/* A thread that has what another one waits for. */
struct who_holder {
    size_t thread;   /* WHO_NOBODY: it is not among the threads */
    unsigned task;   /* the holder is this task, and no thread; 0 */
    pid_t inner;     /* its id in the waiter's pid namespace */
    const char *as;  /* "holds", "reads" ... */
    bool is_gone;    /* it no longer exists, or is in no process that could hold the lock */
    bool is_unclear; /* several threads have that id, in different pid namespaces */
};

/* Which object: an address of a process, or a place in what several of them map. */
struct who_key {
    uint64_t device, inode, at; /* of a private one: 0, the process, the address */
    bool is_shared;
};

struct who_wait {
    bool is_waiting;
    bool is_timed;  /* the wait ends by itself */
    bool is_region; /* `since` and the name are known */
    struct decode_answer what;
    struct who_key key;
    char name[96];  /* of the object, as it can be shown */
    uint64_t since; /* of a region: when it began to wait */
    struct who_holder holders[WHO_HOLDERS];
    unsigned holder_count;
    unsigned more_holders; /* that are not listed */
};

/* Or a task that waits without a thread: it has no stack, and `about` is empty. */
struct who_thread {
    struct target *target;
    unsigned task;                       /* its number; 0: a thread */
    uint64_t operation, operation_since; /* of a task: where its operation is, and which it is */
    struct target_thread about;
    struct target_call call;
    struct unwind_frame frames[UNWIND_FRAMES];
    unsigned frame_count;
    bool has_stack;
    struct who_wait wait;
    bool is_steady;      /* it has slept since the look before this one */
    unsigned cycle;      /* from 1; 0: none */
    uint64_t stopped_ns; /* how long it was stopped; 0: it was not */
};

/* Threads that wait for one another, each for the next one. */
struct who_cycle {
    size_t *threads;
    size_t count;
    bool is_timed; /* one of the waits ends by itself */
};

struct who {
    struct target **targets;
    size_t target_count;
    struct who_thread *threads;
    size_t thread_count;
    struct who_cycle *cycles;
    size_t cycle_count;
    char *notes[WHO_NOTES]; /* what the reader should know, one line each */
    unsigned note_count;
    bool stops;                                    /* --stop */
    uint64_t stopped, stopped_ns, stopped_most_ns; /* threads; in all, and the longest */
};

void who_note(struct who *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds a living process; false: *why says why it cannot be looked into. */
bool who_add(struct who *w, pid_t pid, char *why, size_t size);

/* who_find.c: reads everything, as often as is needed to be sure of what is found. */
void who_examine(struct who *w);
/* Does it wait for a lock whose owner has ended, or forever since the kernel refused? */
bool who_is_lost(const struct who_thread *t);

/* look.c: reads all threads of all processes anew, and what they wait for. */
void who_look(struct who *w);
/* Which threads have slept since an earlier look, whose threads those were. */
void who_compare(struct who *w, const struct who_thread *old, size_t count);

/* own.c: adds the tasks of a process that wait without a thread. */
void who_add_tasks(struct who *w, struct target *t);

/* holders.c: whom the owners named in the locks are. */
void who_resolve(struct who *w);
void who_hold(struct who_wait *wait, struct who_holder holder);
/* The thread with that id among the processes that may hold the key; how many there are. */
size_t who_find(const struct who *w, const struct who_thread *waiter, const struct who_key *key,
                pid_t inner, unsigned *count);
bool who_maps(const struct target *t, const struct who_key *key);
struct who_key who_key_of(const struct target *t, uint64_t address);

/* regions.c: what the regions say that are mapped. True: processes were added. */
bool who_read_regions(struct who *w);

/* peers.c: adds processes that map what a lock lies in whose owner is not known; true: some. */
bool who_add_peers(struct who *w);

/* cycles.c: fills in the cycles. */
void who_find_cycles(struct who *w);
void who_drop_cycles(struct who *w);
/* Does the thread wait, over others, for a thread of a cycle?  The number of the cycle, or 0. */
unsigned who_leads_to(const struct who *w, size_t thread);

/* stop.c: the registers of a thread, for which it is stopped; how long that took. */
bool who_stop(pid_t tid, unsigned machine, struct target_call *call, uint64_t *ns);

/* print.c: all of it. */
void who_print(struct who *w, bool as_json, bool has_stacks);
/* words.c: a thread, an object, where a thread is; into text, which is returned. */
enum { WHO_TEXT = 320 };
char *who_thread_words(const struct who *w, size_t thread, char text[WHO_TEXT]);
/* "recursive, robust"; may be empty */
const char *who_details(const struct decode_answer *a);
char *who_object_words(const struct who_wait *wait, char text[WHO_TEXT]);
char *who_place_words(const struct who_thread *t, char text[WHO_TEXT]);
char *who_frame_words(struct target *t, const struct unwind_frame *f, char text[WHO_TEXT]);
char *who_holder_words(const struct who *w, const struct who_holder *h, char text[WHO_TEXT]);

#endif
