/* SPDX-License-Identifier: MIT */
/* Queues of operations on the locks of regions, within one process. */
#include "await/region.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "ipc/region/mapping.h"
#include "region_fixture.h"
#include "test/support/child.h"

enum { MANY = 40 };

static struct asked many[MANY], other;

static void ask_all(void)
{
    for (unsigned i = 0; i < MANY; i++) {
        ask_for(&many[i], TASK(i + 1));
        assert_int_equal(fw_await_ipc_mutex(&many[i].op, m, NULL), i == 0 ? 0 : EINPROGRESS);
    }
}

/* First come, first served, from task to task. */
EACH(keeps_the_order)
{
    ask_all();
    for (unsigned i = 0; i < MANY; i++) {
        if (i != 0)
            run_until(&many[i].ends, 1);
        assert_int_equal(many[i].error, 0);
        assert_true(i + 1 == MANY || many[i + 1].ends == 0);
        assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(i + 1)), 0);
    }
}

/* A thread of another process gets it, though tasks here always wait for it. */
static void lock_once(void *arg)
{
    (void)arg;
    if (fw_ipc_mutex_lock(m) != 0)
        _exit(1);
    shared[0] = 1;
    _exit(fw_ipc_mutex_unlock(m));
}

EACH(lets_others_in)
{
    pid_t child;
    unsigned next = 1, turns = 0;

    shared[0] = 0;
    ask_all();
    child = start_asleep(lock_once, NULL);
    for (unsigned holder = 0; shared[0] == 0; holder = next++ % MANY) {
        assert_true(turns++ < 1000000);
        if (turns > 1)
            run_until(&many[holder].ends, 1);
        assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(holder + 1)), 0);
        ask_for(&many[holder], TASK(holder + 1));
        int error = fw_await_ipc_mutex(&many[holder].op, m, NULL);
        if (error == 0)
            many[holder].ends = 1;
        else
            assert_int_equal(error, EINPROGRESS);
    }
    finish(child);
    for (unsigned i = 0; i < MANY; i++)
        if (!fw_await_cancel(&many[i].op) || many[i].ends != 0)
            fw_task_ipc_mutex_unlock(m, TASK(i + 1));
    assert_int_equal(fw_ipc_mutex_trylock(m), 0);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
}

/* Dropped ones hand it on, too. */
EACH(drops)
{
    ask_all();
    for (unsigned i = 1; i < MANY; i++)
        if (i % 3 != 0)
            assert_true(fw_await_drop(&many[i].op));
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(1)), 0);
    for (unsigned i = 3; i < MANY; i += 3) {
        while (fw_load32_acquire(&many[i].op.state_) == FW_OPERATION_WAITING) {
            assert_int_equal(fw_loop_wait(loop, NULL), 0);
            fw_loop_run(loop, 1);
            if (many[i].ends != 0)
                break;
        }
        if (many[i].ends != 0)
            assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(i + 1)), 0);
        else
            assert_false(fw_await_drop(&many[i].op));
    }
    assert_int_equal(fw_ipc_mutex_lock(m), 0);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
}

/* The first of two: the other never gets it. */
EACH(ends_once_in_a_group)
{
    fw_await_group group;

    assert_int_equal(fw_ipc_sem_init(s, 0, 10), 0);
    assert_int_equal(ask_for_mutex(&many[0], 1), 0);
    fw_await_group_init(&group);
    for (unsigned i = 1; i < 3; i++) {
        ask_for(&many[i], TASK(i + 1));
        fw_await_group_add(&group, &many[i].op);
    }
    assert_int_equal(fw_await_ipc_mutex(&many[1].op, m, NULL), EINPROGRESS);
    assert_int_equal(fw_await_ipc_sem(&many[2].op, s, NULL), EINPROGRESS);
    assert_int_equal(ask_for_mutex(&many[3], 4), EINPROGRESS);
    assert_int_equal(fw_ipc_sem_post(s), 0);
    run_until(&many[2].ends, 1);
    assert_ptr_equal(fw_await_group_winner(&group), &many[2].op);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(1)), 0);
    run_until(&many[3].ends, 1);
    assert_true(fw_await_cancel(&many[1].op));
    assert_int_equal(many[1].ends, 0);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(4)), 0);
}

/* Both are there before the loop looks; what the one that has lost was given goes back. */
EACH(gets_one_of_two)
{
    fw_await_group group;
    const fw_await *winner;
    pid_t child;

    assert_int_equal(fw_ipc_sem_init(s, 0, 10), 0);
    child = start_holder(hold_mutex);
    fw_await_group_init(&group);
    for (unsigned i = 0; i < 2; i++) {
        ask_for(&many[i], TASK(i + 1));
        fw_await_group_add(&group, &many[i].op);
    }
    assert_int_equal(fw_await_ipc_sem(&many[0].op, s, NULL), EINPROGRESS);
    assert_int_equal(fw_await_ipc_mutex(&many[1].op, m, NULL), EINPROGRESS);
    fw_loop_run(loop, 0);
    assert_int_equal(fw_ipc_sem_post(s), 0);
    shared[1] = 1;
    finish(child);
    while (many[0].ends + many[1].ends == 0) {
        assert_int_equal(fw_loop_wait(loop, NULL), 0);
        fw_loop_run(loop, 0);
    }
    winner = fw_await_group_winner(&group);
    for (unsigned i = 0; i < 2; i++)
        assert_true(winner == &many[i].op ? many[i].ends == 1 : fw_await_cancel(&many[i].op));
    assert_int_equal(
        winner == &many[1].op ? fw_task_ipc_mutex_unlock(m, TASK(2)) : fw_ipc_sem_post(s), 0);
    assert_int_equal(fw_ipc_sem_trywait(s), 0);
    assert_int_equal(fw_ipc_sem_trywait(s), EAGAIN);
    assert_int_equal(fw_ipc_mutex_trylock(m), 0);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
}

/* Two loops: a release in one thread grants to the other's. */
static void *run_another_loop(void *arg)
{
    fw_loop *second = new_loop();

    fw_await_init(&other.op, second, TASK(99), many[0].op.call_.done);
    if (fw_await_ipc_mutex(&other.op, m, NULL) != EINPROGRESS)
        return arg;
    fw_store64_release((uint64_t *)(uintptr_t)shared, 1);
    while (other.ends == 0)
        if (fw_loop_wait(second, NULL) == 0)
            fw_loop_run(second, 0);
    if (fw_task_ipc_mutex_unlock(m, TASK(99)) != 0 || fw_loop_destroy(second) != 0)
        return arg;
    return NULL;
}

EACH(passes_between_loops)
{
    pthread_t thread;
    void *failed;

    shared[0] = 0;
    other = (struct asked){0};
    assert_int_equal(ask_for_mutex(&many[0], 1), 0);
    pthread_create(&thread, NULL, run_another_loop, &many[0]);
    while (fw_load64_acquire((uint64_t *)(uintptr_t)shared) == 0)
        usleep(1000);
    assert_int_equal(ask_for_mutex(&many[1], 2), EINPROGRESS);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(1)), 0);
    pthread_join(thread, &failed);
    assert_null(failed);
    run_until(&many[1].ends, 1);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(2)), 0);
}

UNIT_MAIN(NULL, NULL)
