/* SPDX-License-Identifier: MIT */
#ifndef FW_STRESS_AWAIT_H
#define FW_STRESS_AWAIT_H

#include <furwock/await.h>

#include "stress.h"

/*
 * Tasks, each with one operation at most that waits.  An operation is memory of its own, which is
 * spoilt and freed as soon as it is over.
 */
enum { AWAIT_TASKS = 24 };

enum await_kind { MUTEX, READ, WRITE, UNIT, SIGNAL, EVENT, KINDS };

struct submission;

struct task {
    fw_task id;
    struct agent *agent;
    struct submission *now; /* NULL: it does not wait */
    struct guarded *held;   /* where the agent keeps mutexes */
};

/* A worker that runs tasks. */
struct agent {
    struct worker *me;
    fw_loop *loop; /* NULL: with wakers */
    bool keeps;    /* a task that was granted a mutex holds it until it is taken away */
    struct task tasks[AWAIT_TASKS];
};

/* Begins the first n tasks. */
void await_begin(struct agent *a, struct worker *me, unsigned n);

/* The task, which does not wait, asks for something: a mutex, if that is given. */
void await_submit(struct task *t, enum await_kind what, struct guarded *lock, const fw_deadline *d);

/* Ends what it waits for, if it does, from outside: it may have got it before. */
void await_stop(struct task *t, bool drops);

/* The tests' `end`: says how often what happened. */
void await_say(void);

#endif
