/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "await/region.h"
#include "region_fixture.h"
#include "test/support/child.h"
#include "test/support/deadline.h"

/* More holders than a loop watches at a time. */
enum { HOLDERS = FW_LOOK_HOLDERS_ + 2 };

static struct asked a;
static fw_ipc_permits *u;

static bool is_set(void *word)
{
    return *(volatile uint64_t *)word != 0;
}

static void borrow_one(void *arg)
{
    (void)arg;
    if (fw_ipc_permits_trywait(u) != 0)
        _exit(1);
    shared[0] = 1;
    pause();
}

static pid_t start_borrower(void)
{
    pid_t child;

    shared[0] = 0;
    child = start(borrow_one, NULL);
    assert_true(await_condition(is_set, (void *)(uintptr_t)&shared[0]));
    return child;
}

/* Whichever it is: its life is watched, or it is looked at in its turn. */
EACH(learns_of_any_death)
{
    pid_t child[HOLDERS];

    memset((void *)(uintptr_t)shared, 0, 2048);
    u = (fw_ipc_permits *)(void *)(shared + 64);
    assert_int_equal(fw_ipc_permits_init(u, HOLDERS), 0);
    for (unsigned i = 0; i < HOLDERS; i++)
        child[i] = start_borrower();
    for (unsigned i = 0; i < HOLDERS; i += HOLDERS / 3) {
        fw_deadline interval = in_ms(100); /* from then on it watches */
        ask_for(&a, TASK(1));
        assert_int_equal(fw_await_ipc_permits(&a.op, u, NULL), EINPROGRESS);
        while (fw_loop_wait(loop, &interval) == 0)
            fw_loop_run(loop, 0);
        kill_and_wait(child[i]);
        run_until(&a.ends, 1);
        assert_int_equal(a.error, EOWNERDEAD);
        assert_int_equal(fw_task_ipc_permits_post(u, TASK(1)), 0);
        child[i] = start_borrower();
    }
    for (unsigned i = 0; i < HOLDERS; i++)
        kill_and_wait(child[i]);
    assert_int_equal(fw_ipc_permits_value(u), HOLDERS);
}

UNIT_MAIN(need_robust, NULL)
