/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_RT_FIXTURE_H
#define FW_TEST_RT_FIXTURE_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

#include "tasks.h"

/*
 * Plays on one or two CPUs under a protocol: actors are tasks, each a thread, that act on their
 * cues; the director (the main thread, SCHED_FIFO 99) looks into the group's memory to know where
 * they are.  Nothing is a matter of time.
 */
enum { ACTORS = 5 };

struct actor {
    const char *name;
    int cpu, priority;
    void (*play)(struct actor *);
    const char *opens; /* one letter for each lock, a to ..., in the order of the tasks */
    fw_rt_task *task;
    pthread_t thread;
    sem_t cue;
    bool is_ready;
};

extern struct actor tasks_of_test[ACTORS];
extern fw_rt_group *group;
extern struct fw_rt_state *state;
extern sem_t told;        /* the director */
extern unsigned n_played; /* what has been logged */

/* The CPUs, and the director's priority; ends the test as skipped where that is not permitted. */
void fixture_begin(void);

/* Begins them one after the other; each waits for its cue. */
void fixture_start(const struct actor *from, unsigned n);

/* Waits for their ends; `expected` has been logged, and all locks are as if never used. */
void fixture_finish(const char *expected);

void cue(unsigned actor);
void await(sem_t *s);
void log_event(char what);
void until_played(unsigned n);

/* Locks go by their letters. */
struct fw_rt_lock_record *record(char lock);
void take(struct actor *a, char lock);
void leave(struct actor *a, char lock);
void until_waiting(char lock, unsigned n);

#endif
