/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <unistd.h>

#include "region_fixture.h"
#include "test/support/child.h"
#include "test/support/deadline.h"

enum { MANY = 10 };

static struct asked many[MANY];

static void post(void *n)
{
    _exit(fw_ipc_sem_post_n(s, *(uint32_t *)n));
}

static void post_by_another(uint32_t n)
{
    finish(start(post, &n));
}

EACH(takes_permits)
{
    unsigned taken = 0;

    assert_int_equal(fw_ipc_sem_init(s, 2, 100), 0);
    for (unsigned i = 0; i < MANY; i++) {
        ask_for(&many[i], 0);
        assert_int_equal(fw_await_ipc_sem(&many[i].op, s, NULL), i < 2 ? 0 : EINPROGRESS);
    }
    post_by_another(1);
    run_until(&many[2].ends, 1);
    assert_int_equal(many[3].ends, 0);
    assert_true(fw_await_cancel(&many[3].op));
    post_by_another(3);
    run_until(&many[6].ends, 1);
    for (unsigned i = 0; i < MANY; i++)
        taken += many[i].ends;
    assert_int_equal(taken, 4);
    assert_int_equal(fw_ipc_sem_value(s), 0);
    for (unsigned i = 7; i < MANY; i++)
        assert_true(fw_await_drop(&many[i].op));
    post_by_another(1);
    fw_loop_run(loop, 0);
    assert_int_equal(fw_ipc_sem_value(s), 1);
}

/* A permit that is not wanted is posted again. */
EACH(gives_permits_back)
{
    assert_int_equal(fw_ipc_sem_init(s, 0, 100), 0);
    ask_for(&many[0], 0);
    ask_for(&many[1], 0);
    assert_int_equal(fw_await_ipc_sem(&many[0].op, s, NULL), EINPROGRESS);
    post_by_another(1);
    assert_int_equal(fw_await_ipc_sem(&many[1].op, s, NULL), EINPROGRESS); /* looks for the first */
    assert_false(fw_await_drop(&many[0].op));
    run_until(&many[1].ends, 1);
    assert_int_equal(fw_ipc_sem_value(s), 0);
}

/* A process that waits is killed: what is posted then reaches the others. */
static void ask_and_stay(void *arg)
{
    (void)arg;
    loop = new_loop();
    ask_for(&many[0], 0);
    if (fw_await_ipc_sem(&many[0].op, s, NULL) == EINPROGRESS)
        run_until(&many[0].ends, 1);
    _exit(1);
}

EACH(outlives_waiters)
{
    pid_t child;

    assert_int_equal(fw_ipc_sem_init(s, 0, 100), 0);
    child = start_asleep(ask_and_stay, NULL);
    ask_for(&many[1], 0);
    assert_int_equal(fw_await_ipc_sem(&many[1].op, s, NULL), EINPROGRESS);
    kill_and_wait(child);
    post_by_another(1);
    run_until(&many[1].ends, 1);
    assert_int_equal(many[1].error, 0);
}

UNIT_MAIN(NULL, NULL)
