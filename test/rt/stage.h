/* SPDX-License-Identifier: MIT */
#ifndef TEST_RT_STAGE_H
#define TEST_RT_STAGE_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

#include <furwock/rt.h>

/*
 * Scenes of real-time tasks on one CPU, whose order is certain without a clock: nothing happens
 * unless an actor gives another one its cue, and who is given it runs at once if it is the most
 * urgent one.  What the actors say is compared with the book.
 *
 * Each actor is a task that has opened its locks before the first cue is given, to actor[0].
 */
enum { STAGE_LOCKS = 8 };

struct actor {
    const char *name;
    int priority;
    const char *locks; /* a letter each: "AB" */
    void (*play)(struct actor *me);
    /* While it plays: */
    fw_rt_task *task;
    unsigned lock[STAGE_LOCKS]; /* by letter: lock[0] is "A" */
    sem_t cue;
    pthread_t thread;
    pid_t tid;
};

/* A process that does not end is ended after 20 seconds; no right to SCHED_FIFO: skips (77). */
void stage_begin(void);

/* The CPU of the tasks, and another one; -1: there is none. */
int stage_cpu(void);
int stage_other_cpu(void);

/* Plays the scene, and holds what was said against the book; says so and exits if they differ. */
void stage_play(const char *scene, fw_rt_protocol protocol, struct actor *actors, unsigned n,
                const char *book);

/* For actors.  `wait_for_cue` is a wake-up point of the library. */
void stage_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void stage_cue(struct actor *other);
void stage_wait_for_cue(struct actor *me);

/* Lock and unlock, by letter; each says so: "L wants A", "L has A" and "L leaves A". */
void stage_lock(struct actor *me, char letter);
void stage_unlock(struct actor *me, char letter);

/* The call must answer that error. */
#define STAGE_EXPECT(call, error) stage_expect_((call), (error), #call, __FILE__, __LINE__)
#define STAGE_CHECK(condition) stage_check_((condition), #condition, __FILE__, __LINE__)
void stage_expect_(int got, int wanted, const char *call, const char *file, int line);
void stage_check_(bool is_true, const char *condition, const char *file, int line);

#endif
