/* SPDX-License-Identifier: MIT */
#ifndef TEST_RT_SCENARIO_H
#define TEST_RT_SCENARIO_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

#include "tasks.h"

/*
 * Scenarios of real-time tasks on one CPU, whose order is certain without a clock: nothing happens
 * unless an actor gives another one its cue, and who is given it runs at once if it is the most
 * urgent one.  What the actors say is compared with what is expected.
 *
 * Each actor is a task that has opened its locks before the first cue is given, to actor[0].
 */
enum { SCENARIO_LOCKS = 8 };

struct actor {
    const char *name;
    int priority;
    const char *locks; /* a letter each: "AB" */
    void (*play)(struct actor *me);
    const char *script; /* for `play` */
    /* While it plays: */
    fw_rt_task *task;
    unsigned lock[SCENARIO_LOCKS]; /* by letter: lock[0] is "A" */
    sem_t cue;
    pthread_t thread;
    pid_t tid;
};

/* Chooses CPUs; the tasks of scenarios have cpus[0].  Skips without the right to SCHED_FIFO. */
void scenario_begin(void);

/* Plays the scenario, compares what was said with `expected`, and exits if they differ. */
void scenario_play(const char *scenario, fw_rt_protocol protocol, struct actor *actors, unsigned n,
                   const char *expected);

/* For actors.  `wait_for_cue` is a wake-up point of the library. */
void scenario_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void scenario_cue(struct actor *other);
void scenario_wait_for_cue(struct actor *me);

/* Lock and unlock, by letter; each says so: "L?A " wants A, "L+A " has it and "L-A " leaves it. */
void scenario_lock(struct actor *me, char letter);
void scenario_unlock(struct actor *me, char letter);

#endif
