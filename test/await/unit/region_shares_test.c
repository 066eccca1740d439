/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <unistd.h>

#include "await/kind.h"
#include "await/region.h"
#include "region_rwlock_fixture.h"
#include "test/support/child.h"

enum { MANY = 40 };

/* --- Other processes -------------------------------------------------------------------------- */

static void write_once(void *arg)
{
    int error = fw_ipc_rwlock_wrlock(l);

    (void)arg;
    if (error == EOWNERDEAD)
        error = fw_ipc_rwlock_consistent(l);
    shared[2] = 1;
    _exit(error != 0 ? error : fw_ipc_rwlock_wrunlock(l));
}

/* Nobody reads, nobody writes. */
static void assert_free(void)
{
    finish(start(write_once, NULL));
}

EACH(knows_its_holders)
{
    make_lock();
    assert_int_equal(ask_to_read(&a, 1), 0);
    assert_int_equal(ask_to_read(&a, 1), 0); /* twice */
    assert_int_equal(ask_to_read(&b, 2), 0);
    assert_int_equal(ask_to_write(&c, 1), EDEADLK);
    assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(3)), EPERM);
    assert_int_equal(fw_task_ipc_rwlock_wrunlock(l, TASK(1)), EPERM);
    assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(1)), 0);
    assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(1)), 0);
    assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(1)), EPERM);
    assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(2)), 0);
    assert_int_equal(ask_to_write(&c, 1), 0);
    assert_int_equal(ask_to_write(&a, 1), EDEADLK);
    assert_int_equal(ask_to_read(&a, 1), EDEADLK);
    assert_int_equal(fw_task_ipc_rwlock_consistent(l, TASK(1)), EINVAL);
    assert_int_equal(fw_task_ipc_rwlock_consistent(l, TASK(2)), EPERM);
    assert_int_equal(fw_ipc_rwlock_tryrdlock(l), EBUSY); /* a thread of the same process */
    assert_int_equal(fw_task_ipc_rwlock_wrunlock(l, TASK(2)), EPERM);
    assert_int_equal(fw_task_ipc_rwlock_wrunlock(l, TASK(1)), 0);
    assert_free();
}

/* More than a slot has room for: and all of them with a process that dies. */
static void read_all(void *arg)
{
    (void)arg;
    loop = new_loop();
    for (unsigned i = 0; i < MANY; i++) {
        ask_for(&a, TASK(1));
        if (fw_await_ipc_rdlock(&a.op, l + i, NULL) != 0)
            _exit(1);
    }
    shared[0] = 1;
    pause();
}

EACH(reads_many_locks)
{
    fw_ipc_rwlock *many;
    pid_t child;

    make_lock();
    many = l;
    for (unsigned i = 0; i < MANY; i++)
        assert_int_equal(fw_ipc_rwlock_init(many + i), 0);
    for (unsigned task = 1; task < 3; task++)
        for (l = many; l < many + MANY; l++)
            assert_int_equal(ask_to_read(&a, task), 0);
    for (unsigned task = 1; task < 3; task++)
        for (l = many; l < many + MANY; l++) {
            assert_int_equal(fw_ipc_rwlock_trywrlock(l), EBUSY);
            assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(task)), 0);
        }
    l = many;
    shared[0] = 0;
    child = start(read_all, NULL);
    await_word(&shared[0]);
    for (l = many; l < many + MANY; l++)
        assert_int_equal(fw_ipc_rwlock_trywrlock(l), EBUSY);
    kill_and_wait(child);
    for (l = many; l < many + MANY; l++)
        assert_free();
}

/* What its loop looks for may have been let in by another loop, a moment before. */
EACH(comes_in_once)
{
    fw_loop *first = loop, *second = new_loop();
    struct fw_look_ look = {0};

    make_lock();
    assert_int_equal(fw_ipc_rwlock_wrlock(l), 0);
    assert_int_equal(ask_to_read(&a, 1), EINPROGRESS);
    loop = second;
    assert_int_equal(ask_to_read(&b, 2), EINPROGRESS);
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
    run_until(&b.ends, 1);
    assert_int_equal(a.op.state_, FW_OPERATION_GRANTED);
    assert_int_equal(fw_target_read_.attempt(&a.op, &look), FW_LOOK_AGAIN_);
    loop = first;
    run_until(&a.ends, 1);
    assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(1)), 0);
    assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(2)), 0);
    assert_free();
    assert_int_equal(fw_loop_destroy(second), 0);
}

/* Another loop finds that its group has ended, after a cancel has seen it wait. */
EACH(loses_while_it_is_cancelled)
{
    fw_loop *first = loop, *second = new_loop();
    fw_await_group group;

    make_lock();
    fw_await_group_init(&group);
    ask_for(&a, TASK(1));
    ask_for(&c, TASK(1));
    fw_await_group_add(&group, &a.op);
    fw_await_group_add(&group, &c.op);
    assert_int_equal(fw_ipc_rwlock_wrlock(l), 0);
    assert_int_equal(fw_await_ipc_rdlock(&a.op, l, NULL), EINPROGRESS);
    loop = second;
    assert_int_equal(ask_to_read(&b, 2), EINPROGRESS);
    assert_int_equal(fw_await_ipc_mutex(&c.op, m, NULL), 0);
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
    run_until(&b.ends, 1);
    loop = first;
    assert_int_equal(a.op.state_, FW_OPERATION_LOST);
    assert_true(fw_operation_region_.stop(&a.op));
    assert_true(fw_await_cancel(&a.op));
    assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(1)), EPERM);
    assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(2)), 0);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(1)), 0);
    assert_free();
    assert_int_equal(fw_loop_destroy(second), 0);
}

UNIT_MAIN(need_robust, NULL)
