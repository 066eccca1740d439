/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "region_fixture.h"
#include "test/support/child.h"
#include "test/support/deadline.h"

enum { PERMITS = 3, MANY = 12 };

static struct asked a, b, many[MANY];
static fw_ipc_permits *u;

static void make_permits(void)
{
    memset((void *)(uintptr_t)shared, 0, 2048);
    u = (fw_ipc_permits *)(void *)(shared + 64);
    assert_int_equal(fw_ipc_permits_init(u, PERMITS), 0);
}

static int ask_for_permit(struct asked *o, unsigned task)
{
    ask_for(o, TASK(task));
    return fw_await_ipc_permits(&o->op, u, NULL);
}

/* Takes all that there are, until it is told or killed. */
static void borrow(void *arg)
{
    (void)arg;
    while (fw_ipc_permits_trywait(u) == 0)
        shared[1]++;
    shared[0] = 1;
    while (shared[2] == 0)
        usleep(1000);
    while (fw_ipc_permits_post(u) == 0)
        ;
    _exit(0);
}

static pid_t start_borrower(void)
{
    pid_t child;

    shared[0] = shared[1] = shared[2] = 0;
    child = start(borrow, NULL);
    await_word(&shared[0]);
    return child;
}

EACH(knows_its_permits)
{
    uint32_t first;

    make_permits();
    assert_int_equal(ask_for_permit(&a, 1), 0);
    first = fw_await_ipc_permit(&a.op);
    assert_true(first < PERMITS);
    assert_int_equal(ask_for_permit(&b, 2), 0);
    assert_int_not_equal(fw_await_ipc_permit(&b.op), first);
    assert_int_equal(fw_ipc_permits_value(u), 1);
    assert_int_equal(fw_ipc_permits_held_by_me(u), 0);
    assert_int_equal(fw_ipc_permits_give(u, first), EPERM); /* a thread */
    assert_int_equal(fw_task_ipc_permits_give(u, first, TASK(2)), EPERM);
    assert_int_equal(fw_task_ipc_permits_give(u, PERMITS, TASK(1)), EPERM);
    assert_int_equal(fw_task_ipc_permits_give(u, first, TASK(1)), 0);
    assert_int_equal(fw_task_ipc_permits_give(u, first, TASK(1)), EPERM);
    assert_int_equal(fw_task_ipc_permits_post(u, TASK(1)), EPERM);
    assert_int_equal(fw_task_ipc_permits_post(u, TASK(2)), 0);
    assert_int_equal(fw_ipc_permits_value(u), PERMITS);
    ask_for(&a, TASK(1));
    assert_int_equal(fw_await_ipc_permits(&a.op, (fw_ipc_permits *)(void *)(shared + 500), NULL),
                     EINVAL); /* not made */
}

EACH(gets_permits_of_others)
{
    pid_t child;

    make_permits();
    child = start_borrower();
    assert_int_equal(shared[1], PERMITS);
    for (unsigned i = 0; i < MANY; i++)
        assert_int_equal(ask_for_permit(&many[i], i + 1), EINPROGRESS);
    fw_loop_run(loop, 0);
    shared[2] = 1;
    finish(child);
    for (unsigned i = 0; i < MANY; i++) {
        run_until(&many[i].ends, 1); /* first come, first served */
        assert_int_equal(many[i].error, 0);
        assert_int_equal(fw_task_ipc_permits_give(u, fw_await_ipc_permit(&many[i].op), TASK(i + 1)),
                         0);
    }
    assert_int_equal(fw_ipc_permits_value(u), PERMITS);
}

EACH(gets_permits_of_the_dead)
{
    pid_t child;

    make_permits();
    child = start_borrower();
    assert_int_equal(ask_for_permit(&a, 1), EINPROGRESS);
    kill_and_wait(child);
    assert_int_equal(ask_for_permit(&b, 2), EINPROGRESS); /* looks for the first */
    assert_false(fw_await_drop(&a.op));
    run_until(&b.ends, 1);
    assert_int_equal(b.error, EOWNERDEAD);
    for (unsigned i = 1; i < PERMITS; i++) /* also the one that was dropped */
        assert_int_equal(ask_for_permit(&many[i], i + 2), EOWNERDEAD);
    assert_int_equal(fw_ipc_permits_value(u), 0);
    ask_for(&a, TASK(1));
    assert_int_equal(fw_await_ipc_permits(&a.op, u, NULL), EINPROGRESS);
    assert_true(fw_await_cancel(&a.op));
    for (unsigned i = 0; i < PERMITS; i++)
        assert_int_equal(fw_task_ipc_permits_post(u, TASK(i + 2)), 0);
}

EACH(learns_of_a_borrowers_death)
{
    fw_deadline soon;
    pid_t child;

    make_permits();
    child = start_borrower();
    ask_for(&a, TASK(1));
    soon = in_ms(60);
    assert_times_out(fw_await_ipc_permits(&a.op, u, &soon), &a);
    assert_int_equal(ask_for_permit(&a, 1), EINPROGRESS);
    fw_loop_run(loop, 0);
    kill_and_wait(child);
    run_until(&a.ends, 1);
    assert_int_equal(a.error, EOWNERDEAD);
    assert_int_equal(fw_task_ipc_permits_post(u, TASK(1)), 0);
}

static void borrow_as_tasks(void *arg)
{
    (void)arg;
    loop = new_loop();
    for (unsigned i = 0; i < PERMITS; i++)
        if (ask_for_permit(&many[i], i + 1) != 0)
            _exit(1);
    shared[0] = 1;
    pause();
}

EACH(returns_permits_of_dead_tasks)
{
    uint32_t permit;
    pid_t child;

    make_permits();
    child = start(borrow_as_tasks, NULL);
    await_word(&shared[0]);
    assert_int_equal(fw_ipc_permits_trywait(u), EBUSY);
    assert_int_equal(ask_for_permit(&a, 1), EINPROGRESS);
    kill_and_wait(child);
    assert_int_equal(fw_ipc_permits_take(u, &permit, NULL, NULL), EOWNERDEAD);
    assert_int_equal(fw_ipc_permits_give(u, permit), 0);
    run_until(&a.ends, 1);
    assert_int_equal(fw_task_ipc_permits_post(u, TASK(1)), 0);
}

UNIT_MAIN(need_robust, NULL)
