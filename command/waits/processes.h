/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_WAITS_PROCESSES_H
#define FW_COMMAND_WAITS_PROCESSES_H

#include "stacks.h"
#include "watch.h"

/* The processes that are watched, and their threads' names. */
struct process {
    struct waits_process shown;    /* first: what a lock's `process` points to */
    struct stacks_process *stacks; /* NULL: not looked into yet */
    uint64_t started;              /* to tell it from a later one of the same number */
    bool is_named; /* asked for by name; not only known since it has woken one that was */
    bool has_ended, is_forgotten;
};

struct processes {
    struct process **all;
    unsigned count;
    unsigned living; /* of those that were asked for by number */
};

/* The processes that there are and that were asked for; tells the program in the kernel. */
void processes_find(struct processes *p, struct fw_waits *waits, const struct watch_options *o);

/* Is one of them ended, and not forgotten? */
bool processes_have_ended(const struct processes *p);

/* Lets go of what is held of those that have ended; their figures have been read. */
void processes_forget(struct processes *p, struct fw_waits *waits);

/* NULL: it has ended before anything was known of it. */
struct process *processes_get(struct processes *p, pid_t pid);

struct stacks_process *processes_stacks(struct process *p);

void processes_free(struct processes *p);

/* "" if it has ended. */
void processes_thread_name(pid_t tid, char name[16]);

#endif
