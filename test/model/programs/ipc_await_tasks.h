/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_AWAIT_TASKS_H
#define MODEL_IPC_AWAIT_TASKS_H

#include <stdbool.h>

#include <furwock/await.h>

#include "../engine/model.h"

/*
 * The tasks of a process that has a loop (subject/process.h), in programs of which each word says
 * what a task asks for.  The operation of a task is over when `end` has been called for it.
 */
struct ipc_await_task {
    fw_await op;
    unsigned word; /* 0: there is none; `end` sets it, or keeps what the task has */
    bool waits;
    struct ipc_await_task *rival; /* of its group; NULL: none that has not ended */
};

struct ipc_await_tasks {
    /* Submits what the task's word says.  As the calls of furwock/ipc/await.h. */
    int (*submit)(struct ipc_await_task *t);
    /* It is over, with that. */
    void (*end)(struct ipc_await_task *t, int error);
};

/* What a program says beside its script. */
struct ipc_await_script {
    bool are_late; /* the first interval of each wait has passed */
};

/* For the hook `setup`, after region_make: a thread has a loop if its first word is before this. */
void ipc_await_tasks_make(const struct ipc_await_tasks *how, unsigned first_of_threads);
bool ipc_await_has_loop(unsigned self);

/* The hook `thread`: makes the loop, does what the words say, and destroys the loop. */
void ipc_await_tasks_run(unsigned self, void (*act)(unsigned self, unsigned word));

/* One asks; `end` comes at once, if it need not wait. */
void ipc_await_ask(unsigned word);

/* The same for two of a group: one ends, and the other one is cancelled, and has got nothing. */
void ipc_await_ask_either(unsigned one, unsigned other);

/* In `end`: it waits for something else now.  False: it does not, that is over: *error. */
bool ipc_await_asks_on(struct ipc_await_task *t, int *error);

/* The same, and beside it another one asks, of the same group. */
bool ipc_await_asks_on_or(struct ipc_await_task *t, unsigned other, int *error);

/* The loop runs once, or until all that have asked have got it. */
void ipc_await_turn(void);
void ipc_await_serve(void);

/* All that wait are dropped, or some of them; or cancelled. */
void ipc_await_drop(void);
void ipc_await_drop_some(unsigned n);
void ipc_await_cancel(void);

/* The task that kept this word, and does so no more. */
struct ipc_await_task *ipc_await_task_of(unsigned word);

/* What the hook `own` says. */
const struct model_own *ipc_await_tasks_own(void);

#endif
