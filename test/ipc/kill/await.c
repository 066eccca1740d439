/* SPDX-License-Identifier: MIT */
/*
 * Tasks that wait for a mutex by a loop.  The outcome of a run: how many were told that a holder
 * has died.  The loop's helper and the agent take steps as well, each at its own time.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <furwock/ipc/await.h>

#include "region.h"

#define TASK(n) ((UINT32_C(1) << 22 | (n)) << 8 | 1)
enum { TASKS = 3 };

static fw_ipc_mutex *m;
static fw_loop *loop;
static fw_loop_engine engine;

struct asked {
    fw_await op;
    fw_task task;
    int error;
};

static void prepare(void)
{
    m = object_new(sizeof *m);
}

/* By io_uring, where it works. */
static void reset(void)
{
    engine = FW_LOOP_AUTO;
    CHECK(fw_ipc_mutex_init(m) == 0);
}

static void reset_helper(void)
{
    reset();
    engine = FW_LOOP_THREAD;
}

/* By a holder: the generation has grown, and the data are whole, or the answer said otherwise. */
static void inside(const struct asked *a)
{
    uint64_t generation = fw_ipc_mutex_generation(m);

    if (generation <= shared->last)
        fail("the generation is %llu after %llu", (unsigned long long)generation,
             (unsigned long long)shared->last);
    shared->last = generation;
    if (a->error == EOWNERDEAD) {
        add_outcome(1);
        fw_step_();
        shared->a = shared->b;
        fw_step_();
        CHECK(fw_task_ipc_mutex_consistent(m, a->task) == 0);
    } else if (a->error != 0) {
        fail("await: %s", strerror(a->error));
    }
    fw_step_();
    if (shared->a != shared->b)
        fail("the data are half changed: %llu %llu", (unsigned long long)shared->a,
             (unsigned long long)shared->b);
    shared->a++;
    fw_step_();
    shared->b++;
    fw_step_();
    CHECK(fw_task_ipc_mutex_unlock(m, a->task) == 0);
}

static unsigned ended;

static void done(fw_await *op, int error)
{
    struct asked *a = (struct asked *)op;

    a->error = error;
    ended++;
    inside(a);
}

/* Some tasks that want it at the same time: they give it to one another. */
static void await_all(void)
{
    fw_loop_options options = {.engine = engine};
    struct asked asked[TASKS];

    ended = 0;
    CHECK(fw_loop_create(&loop, &options) == 0);
    for (unsigned i = 0; i < TASKS; i++) {
        int error;
        asked[i].task = TASK(i + 1);
        fw_await_init(&asked[i].op, loop, asked[i].task, done);
        error = fw_await_ipc_mutex(&asked[i].op, m, NULL);
        if (error != EINPROGRESS)
            done(&asked[i].op, error);
    }
    while (ended < TASKS) {
        CHECK(fw_loop_wait(loop, NULL) == 0);
        fw_loop_run(loop, 0);
    }
    CHECK(fw_loop_destroy(loop) == 0);
}

static void lock_all(void)
{
    struct asked a = {.error = fw_ipc_mutex_lock(m)};

    if (a.error == EOWNERDEAD) {
        add_outcome(1);
        shared->a = shared->b;
        CHECK(fw_ipc_mutex_consistent(m) == 0);
    } else if (a.error != 0) {
        fail("lock: %s", strerror(a.error));
    }
    if (shared->a != shared->b)
        fail("the data are half changed");
    CHECK(fw_ipc_mutex_generation(m) > shared->last);
    shared->last = fw_ipc_mutex_generation(m);
    CHECK(fw_ipc_mutex_unlock(m) == 0);
}

static void hold(void)
{
    CHECK(fw_ipc_mutex_lock(m) == 0);
}

static void leave(void)
{
    CHECK(fw_ipc_mutex_unlock(m) == 0);
}

ROLE_3(hold_until_victim_idle, hold, stay_until_victim_idle, leave)

static void die_inside(void)
{
    CHECK(fw_ipc_mutex_lock(m) == 0);
    shared->a++;
}

static void reset_dead(void)
{
    reset();
    run_and_die(die_inside);
}

static const struct kill_case cases[] = {
    {"await", reset, NULL, become_participant, await_all, NULL, lock_all, ANY_CHANGES},
    {"await, first call", reset, NULL, NULL, await_all, NULL, lock_all, ANY_CHANGES},
    {"await, held", reset, hold_until_victim_idle, become_participant, await_all, NULL, lock_all,
     ANY_CHANGES},
    {"await, by a helper", reset_helper, NULL, become_participant, await_all, NULL, lock_all,
     ANY_CHANGES},
    {"await, held, by a helper", reset_helper, hold_until_victim_idle, become_participant,
     await_all, NULL, lock_all, ANY_CHANGES},
    {"await, holder dead", reset_dead, NULL, become_participant, await_all, NULL, lock_all,
     ANY_CHANGES},
    {.name = NULL}};

const struct kill_table await_table = {
    .name = "await", .cases = cases, .prepare = prepare, .endings = KILL_ENDING(KILLED)};
