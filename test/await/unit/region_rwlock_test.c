/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "ipc/rwlock.h"
#include "region_rwlock_fixture.h"
#include "test/support/child.h"
#include "test/support/deadline.h"

static bool is_closed(void *none)
{
    (void)none;
    return (fw_load64_relaxed(&l->word_) & IPC_RW_DRAINING) != 0;
}

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

static void hold(int error, int (*unlock)(fw_ipc_rwlock *))
{
    if (error != 0)
        _exit(1);
    stay_until_told();
    _exit(unlock(l));
}

static void hold_to_write(void *arg)
{
    (void)arg;
    hold(fw_ipc_rwlock_wrlock(l), fw_ipc_rwlock_wrunlock);
}

static void hold_to_read(void *arg)
{
    (void)arg;
    hold(fw_ipc_rwlock_rdlock(l), fw_ipc_rwlock_rdunlock);
}

static void let_go(pid_t child)
{
    shared[1] = 1;
    finish(child);
}

/* Nobody reads, nobody writes. */
static void assert_free(void)
{
    finish(start(write_once, NULL));
}

/* --- At once ---------------------------------------------------------------------------------- */

EACH(refuses)
{
    fw_ipc_rwlock elsewhere = FW_IPC_RWLOCK_INIT;
    fw_deadline past = in_ms(-1);
    pid_t child;

    make_lock();
    ask_for(&a, TASK(1));
    assert_int_equal(fw_await_ipc_rdlock(&a.op, &elsewhere, NULL), EINVAL);
    assert_int_equal(fw_await_ipc_wrlock(&a.op, &elsewhere, NULL), EINVAL);
    assert_int_equal(fw_task_ipc_rwlock_rdunlock(&elsewhere, TASK(1)), EINVAL);
    assert_int_equal(fw_task_ipc_rwlock_wrunlock(&elsewhere, TASK(1)), EINVAL);
    fw_await_init_waker(&a.op, TASK(1), NULL, NULL);
    assert_int_equal(fw_await_ipc_rdlock(&a.op, l, NULL), EINVAL);
    assert_int_equal(fw_await_ipc_wrlock(&a.op, l, NULL), EINVAL);
    child = start_holder(hold_to_read);
    ask_for(&a, TASK(1));
    assert_int_equal(fw_await_ipc_wrlock(&a.op, l, &past), ETIMEDOUT);
    assert_int_equal(ask_to_read(&b, 1), 0); /* it is open again */
    assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(1)), 0);
    let_go(child);
    child = start_holder(hold_to_write);
    ask_for(&a, TASK(1));
    assert_int_equal(fw_await_ipc_rdlock(&a.op, l, &past), ETIMEDOUT);
    let_go(child);
    assert_free();
}

/* --- Waiting ---------------------------------------------------------------------------------- */

EACH(reads_when_a_writer_leaves)
{
    fw_loop *first = loop, *second = new_loop();
    pid_t child;

    make_lock();
    child = start_holder(hold_to_write);
    assert_int_equal(ask_to_read(&a, 1), EINPROGRESS);
    assert_int_equal(ask_to_read(&b, 2), EINPROGRESS);
    loop = second;
    assert_int_equal(ask_to_read(&c, 3), EINPROGRESS);
    loop = first;
    fw_loop_run(loop, 0);
    let_go(child);
    run_until(&a.ends, 1);
    run_until(&b.ends, 1);
    loop = second;
    run_until(&c.ends, 1);
    loop = first;
    for (unsigned i = 1; i <= 3; i++) {
        assert_int_equal(fw_ipc_rwlock_trywrlock(l), EBUSY);
        assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(i)), 0);
    }
    assert_free();
    assert_int_equal(fw_loop_destroy(second), 0);
}

EACH(writes_when_readers_leave)
{
    pid_t child;

    make_lock();
    child = start_holder(hold_to_read);
    assert_int_equal(ask_to_read(&a, 1), 0); /* beside the other */
    assert_int_equal(ask_to_write(&b, 2), EINPROGRESS);
    assert_true(is_closed(NULL));
    assert_int_equal(ask_to_read(&c, 3), EINPROGRESS); /* behind the writer */
    assert_int_equal(fw_await_ipc_rdlock(&c.op, l, NULL), EBUSY);
    assert_int_equal(fw_await_ipc_wrlock(&c.op, l, NULL), EBUSY);
    fw_loop_run(loop, 0);
    let_go(child);
    assert_int_equal(b.ends, 0);
    assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(1)), 0);
    run_until(&b.ends, 1);
    assert_int_equal(b.error, 0);
    assert_int_equal(c.ends, 0);
    assert_int_equal(fw_task_ipc_rwlock_wrunlock(l, TASK(2)), 0);
    run_until(&c.ends, 1);
    assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(3)), 0);
    assert_free();
}

/* A writer of another process keeps later tasks out, and is told when the last reader has gone. */
EACH(keeps_phases)
{
    pid_t child;

    make_lock();
    assert_int_equal(ask_to_read(&a, 1), 0);
    assert_int_equal(ask_to_read(&b, 2), 0);
    child = start(write_once, NULL);
    assert_true(await_condition(is_closed, NULL));
    assert_int_equal(ask_to_read(&c, 3), EINPROGRESS);
    assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(1)), 0);
    assert_int_equal(shared[2], 0);
    assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(2)), 0);
    finish(child);
    run_until(&c.ends, 1);
    assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(3)), 0);
    assert_free();
}

EACH(gives_up)
{
    fw_deadline soon;
    pid_t child;

    make_lock();
    child = start_holder(hold_to_read);
    assert_int_equal(ask_to_write(&a, 1), EINPROGRESS);
    assert_int_equal(ask_to_write(&b, 2), EINPROGRESS);
    assert_true(fw_await_cancel(&a.op)); /* the next one closes it */
    assert_true(is_closed(NULL));
    assert_true(fw_await_cancel(&b.op));
    assert_false(is_closed(NULL));
    ask_for(&a, TASK(1));
    soon = in_ms(60);
    assert_times_out(fw_await_ipc_wrlock(&a.op, l, &soon), &a);
    assert_false(is_closed(NULL));
    let_go(child);
    child = start_holder(hold_to_write);
    assert_int_equal(ask_to_read(&a, 1), EINPROGRESS);
    assert_true(fw_await_cancel(&a.op));
    ask_for(&b, TASK(2));
    soon = in_ms(60);
    assert_times_out(fw_await_ipc_rdlock(&b.op, l, &soon), &b);
    let_go(child);
    assert_free();
    assert_int_equal(a.ends, 0);
}

static bool has_something_to_do(void *none)
{
    struct pollfd fd = {.fd = fw_loop_fd(loop), .events = POLLIN};

    (void)none;
    return poll(&fd, 1, 0) == 1;
}

/* What the engine has for it comes back while it is cancelled, and then the watch is freed. */
EACH(gives_up_when_readers_have_left)
{
    pid_t child;

    make_lock();
    child = start_holder(hold_to_read);
    assert_int_equal(ask_to_write(&a, 1), EINPROGRESS);
    let_go(child);
    assert_true(await_condition(has_something_to_do, NULL));
    assert_true(fw_await_cancel(&a.op));
    assert_free();
}

/* Admitted, and not wanted: nobody reads then. */
EACH(is_dropped_when_admitted)
{
    pid_t child;

    make_lock();
    child = start_holder(hold_to_write);
    assert_int_equal(ask_to_read(&a, 1), EINPROGRESS);
    let_go(child);
    assert_true(fw_await_drop(&a.op)); /* its loop has not looked */
    assert_free();
    child = start_holder(hold_to_write);
    assert_int_equal(ask_to_read(&a, 1), EINPROGRESS);
    let_go(child);
    assert_int_equal(ask_to_read(&b, 2), EINPROGRESS); /* looks for the first, and lets both in */
    assert_false(fw_await_drop(&a.op));
    run_until(&b.ends, 1);
    assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(1)), EPERM);
    assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(2)), 0);
    assert_free();
}

/* --- Deaths ----------------------------------------------------------------------------------- */

EACH(learns_of_deaths)
{
    pid_t child;

    make_lock();
    child = start_holder(hold_to_read);
    assert_int_equal(ask_to_write(&a, 1), EINPROGRESS);
    fw_loop_run(loop, 0);
    kill_and_wait(child);
    run_until(&a.ends, 1);
    assert_int_equal(a.error, 0);
    assert_int_equal(fw_task_ipc_rwlock_wrunlock(l, TASK(1)), 0);
    child = start_holder(hold_to_write);
    assert_int_equal(ask_to_read(&a, 1), EINPROGRESS);
    assert_int_equal(ask_to_write(&b, 2), EINPROGRESS);
    kill_and_wait(child);
    run_until(&b.ends, 1);
    assert_int_equal(b.error, EOWNERDEAD);
    assert_int_equal(fw_task_ipc_rwlock_consistent(l, TASK(2)), 0);
    assert_int_equal(fw_task_ipc_rwlock_wrunlock(l, TASK(2)), 0);
    run_until(&a.ends, 1);
    if (a.error == 0)
        assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(1)), 0);
    else /* it has looked first, and holds nothing */
        assert_int_equal(a.error, EOWNERDEAD);
    assert_free();
}

EACH(tells_the_next_of_a_death)
{
    pid_t child;

    make_lock();
    child = start_holder(hold_to_write);
    assert_int_equal(ask_to_write(&a, 1), EINPROGRESS);
    kill_and_wait(child);
    assert_int_equal(ask_to_write(&b, 2), EINPROGRESS); /* looks for the first */
    assert_false(fw_await_drop(&a.op));
    run_until(&b.ends, 1);
    assert_int_equal(b.error, EOWNERDEAD);
    assert_int_equal(fw_task_ipc_rwlock_wrunlock(l, TASK(2)), 0); /* not repaired */
    assert_int_equal(ask_to_read(&a, 1), ENOTRECOVERABLE);
    assert_int_equal(ask_to_write(&a, 1), ENOTRECOVERABLE);
}

static void stay(void *to_write)
{
    loop = new_loop();
    if ((to_write != NULL ? ask_to_write(&a, 1) : ask_to_read(&a, 1)) == EINPROGRESS) {
        shared[0] = 1;
        run_until(&a.ends, 1);
    }
    shared[0] = 1;
    pause();
}

static pid_t start_task(void *to_write)
{
    pid_t child;

    shared[0] = 0;
    child = start(stay, to_write);
    await_word(&shared[0]);
    return child;
}

EACH(is_found_dead)
{
    pid_t child;

    make_lock();
    child = start_task(NULL); /* it reads */
    assert_int_equal(ask_to_write(&a, 1), EINPROGRESS);
    kill_and_wait(child);
    run_until(&a.ends, 1);
    assert_int_equal(a.error, 0);
    child = start_task(NULL); /* it waits */
    kill_and_wait(child);
    child = start_task(l);
    kill_and_wait(child);
    assert_int_equal(fw_task_ipc_rwlock_wrunlock(l, TASK(1)), 0);
    assert_int_equal(ask_to_read(&a, 1), 0);
    child = start_task(l); /* it has closed the lock */
    assert_true(is_closed(NULL));
    assert_int_equal(ask_to_read(&b, 2), EINPROGRESS);
    kill_and_wait(child);
    run_until(&b.ends, 1);
    assert_int_equal(b.error, 0);
    assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(1)), 0);
    assert_int_equal(fw_task_ipc_rwlock_rdunlock(l, TASK(2)), 0);
    child = start_task(l); /* it writes */
    assert_int_equal(ask_to_write(&a, 1), EINPROGRESS);
    kill_and_wait(child);
    run_until(&a.ends, 1);
    assert_int_equal(a.error, EOWNERDEAD);
    assert_int_equal(fw_task_ipc_rwlock_consistent(l, TASK(1)), 0);
    assert_int_equal(fw_task_ipc_rwlock_wrunlock(l, TASK(1)), 0);
    assert_free();
}

UNIT_MAIN(need_robust, NULL)
