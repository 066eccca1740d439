/* SPDX-License-Identifier: MIT */
#include "ipc_await_tasks.h"

#include <errno.h>
#include <stddef.h>

#include "../subject/process.h"
#include "../subject/subject.h"
#include "ipc_await_calls.h"
#include "ipc_region.h"
#include "script.h"

enum { TASKS = 3 };

/* Where other threads of the process find operations. */
static struct ipc_await_task all_tasks[2][TASKS] FW_OF_PROCESS_;
static fw_await_group groups[2] FW_OF_PROCESS_; /* one at a time */

static __thread fw_loop *loop;
static __thread uint64_t asking;

/* Of the running thread. */
#define tasks (all_tasks[model_current % 2])
#define group (groups[model_current % 2])

static const struct ipc_await_tasks *how;
static unsigned first_of_threads;

bool ipc_await_has_loop(unsigned self)
{
    return script_words[self][0] < first_of_threads;
}

void ipc_await_tasks_make(const struct ipc_await_tasks *these, unsigned first)
{
    how = these;
    first_of_threads = first;
    for (unsigned i = 0; i < model_thread_count; i++)
        region_slots[i].waits_how = ipc_await_has_loop(i) ? FW_IPC_AGENT : 0;
    process_make();
}

static void make_loop(void)
{
    static const struct ipc_await_script none;
    const struct ipc_await_script *script = script_options(&none);

    process_begin();
    if (ipc_await_in_use()->create(&loop, NULL) != 0)
        model_thread_fail("answer", "no loop", 0, 0);
    process_has_loop(loop, script->are_late);
}

static void destroy_loop(void)
{
    if (ipc_await_in_use()->destroy(loop) != 0)
        model_thread_fail("answer", "a loop that has nothing to do is not destroyed", 0, 0);
    process_check_end();
}

void ipc_await_tasks_run(unsigned self, void (*act)(unsigned self, unsigned word))
{
    bool has_loop = ipc_await_has_loop(self);

    region_begin(self);
    if (has_loop)
        make_loop();
    for (const unsigned *w = script_words[self]; *w != 0; w++) /* END */
        act(self, *w);
    if (has_loop)
        destroy_loop();
}

/* Does the task wait?  It does so no more. */
static bool stop(struct ipc_await_task *t)
{
    bool waited = t->waits;

    asking -= waited;
    t->waits = false;
    return waited;
}

/* Another of its group has ended: it gets nothing. */
static void lose(struct ipc_await_task *t)
{
    t->rival = NULL;
    t->word = 0;
    if (stop(t) && !ipc_await_in_use()->cancel(&t->op))
        model_thread_fail("group", "two operations of one group have got something", 0, 0);
}

static void end(struct ipc_await_task *t, int error)
{
    if (t->rival != NULL)
        lose(t->rival);
    t->rival = NULL;
    how->end(t, error);
}

static void done(fw_await *op, int error)
{
    struct ipc_await_task *t = (struct ipc_await_task *)(void *)op;

    (void)stop(t);
    end(t, error);
}

static struct ipc_await_task *new_task(unsigned word)
{
    struct ipc_await_task *t = ipc_await_task_of(0);

    t->word = word;
    t->rival = NULL;
    ipc_await_in_use()->init(&t->op, loop,
                             subject_id(8 + TASKS * model_current + (unsigned)(t - tasks)), done);
    return t;
}

bool ipc_await_asks_on(struct ipc_await_task *t, int *error)
{
    *error = how->submit(t);
    t->waits = *error == EINPROGRESS;
    asking += t->waits;
    return t->waits;
}

/* True: it waits. */
static bool submit(struct ipc_await_task *t)
{
    int error;

    if (ipc_await_asks_on(t, &error))
        return true;
    if (error == ECANCELED && t->rival != NULL)
        t->word = 0; /* the rival's end comes */
    else
        end(t, error);
    return false;
}

void ipc_await_ask(unsigned word)
{
    (void)submit(new_task(word));
}

static void make_rivals(struct ipc_await_task *first, struct ipc_await_task *second)
{
    first->rival = second;
    second->rival = first;
    fw_await_group_init(&group);
    fw_await_group_add(&group, &first->op);
    fw_await_group_add(&group, &second->op);
}

void ipc_await_ask_either(unsigned one, unsigned other)
{
    struct ipc_await_task *first = new_task(one), *second = new_task(other);

    make_rivals(first, second);
    if (submit(first))
        (void)submit(second);
}

bool ipc_await_asks_on_or(struct ipc_await_task *t, unsigned other, int *error)
{
    struct ipc_await_task *second = new_task(other);

    make_rivals(t, second);
    if (!ipc_await_asks_on(t, error)) {
        t->rival = NULL;
        second->word = 0;
        return false;
    }
    (void)submit(second);
    return true;
}

void ipc_await_turn(void)
{
    ipc_await_in_use()->run(loop, 0);
}

void ipc_await_serve(void)
{
    while (asking != 0) {
        ipc_await_turn();
        if (asking != 0)
            ipc_await_in_use()->wait(loop, NULL);
    }
}

void ipc_await_drop_some(unsigned n)
{
    for (struct ipc_await_task *t = tasks; t < tasks + TASKS && n > 0; t++) {
        if (!stop(t))
            continue;
        ipc_await_in_use()->drop(&t->op);
        t->word = 0;
        n--;
    }
}

void ipc_await_drop(void)
{
    ipc_await_drop_some(TASKS);
}

void ipc_await_cancel(void)
{
    for (struct ipc_await_task *t = tasks; t < tasks + TASKS; t++) {
        if (!stop(t))
            continue;
        if (!ipc_await_in_use()->cancel(&t->op))
            how->end(t, t->op.result_);
        t->word = 0;
    }
}

struct ipc_await_task *ipc_await_task_of(unsigned word)
{
    struct ipc_await_task *t = tasks;

    while (t < tasks + TASKS && t->word != word)
        t++;
    if (t == tasks + TASKS)
        model_thread_fail("script", "no task is there that is meant", 0, 0);
    t->word = 0;
    return t;
}

const struct model_own *ipc_await_tasks_own(void)
{
    static struct model_own table[4];
    const struct model_own *others = region_own();
    unsigned n = 0;

    for (; others[n].begin != NULL; n++)
        table[n] = others[n];
    table[n] =
        (struct model_own){__start_model_process_variables, __stop_model_process_variables, true};
    table[n + 1] = (struct model_own){.begin = NULL};
    return table;
}
