/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "agent_fixture.h"
#include "ipc/region/agent_table.h" /* whose names the fixture's would hide */
#include "test/support/robust_lists.h"
#include "test/support/tsan_forks.h"

TEST(is_one_that_is_not_the_caller)
{
    struct fw_ipc_me_ me, again;

    assert_int_equal(fw_ipc_enter_(m, &me), 0);
    assert_false(fw_ipc_agent_find_(fixture.mapping, &agent));
    assert_int_equal(fw_ipc_agent_(fixture.mapping, &agent), 0);
    assert_int_equal(fw_ipc_agent_(fixture.mapping, &again), 0);
    assert_true(agent.id == again.id && agent.id != me.id);
    assert_int_equal(fw_ipc_life_(fixture.mapping, agent.id), FW_IPC_ALIVE);
    fw_ipc_agent_stop_(fixture.mapping);
    assert_false(fw_ipc_agent_find_(fixture.mapping, &agent));
    assert_int_equal(fw_ipc_life_(fixture.mapping, again.id), FW_IPC_DEAD);
    assert_int_equal(fw_ipc_agent_(fixture.mapping, &again), 0);
    fw_ipc_leave_(fixture.mapping);
}

/* The thread that took the lock ends: its task holds it still. */
static void *take_and_end(void *arg)
{
    take(3);
    return arg;
}

TEST(outlives_the_thread_that_took_the_lock)
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, take_and_end, NULL), 0);
    pthread_join(thread, NULL);
    assert_int_equal(fw_ipc_mutex_trylock(m), EBUSY);
    assert_int_equal(fw_ipc_mutex_unlock_as_(m, TASK(3)), 0);
    fw_ipc_leave_(fixture.mapping);
}

static uint32_t *taken; /* shared */

static void take_and_stay(void *arg)
{
    (void)arg;
    take(4);
    fw_store32_release(taken, 1);
    pause();
}

static bool is_taken(void *arg)
{
    (void)arg;
    return fw_load32_acquire(taken) != 0;
}

TEST(dies_with_its_process)
{
    pid_t child;

    taken = fixture_object(&fixture, 1);
    child = start(take_and_stay, NULL);
    assert_true(await_condition(is_taken, NULL));
    assert_int_equal(fw_ipc_mutex_trylock(m), EBUSY);
    kill_and_wait(child);
    assert_int_equal(fw_ipc_mutex_lock(m), EOWNERDEAD);
    assert_int_equal(fw_ipc_mutex_consistent(m), 0);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
    fw_ipc_leave_(fixture.mapping);
}

static void take_and_call_exec(void *arg)
{
    (void)arg;
    take(5);
    execl("/bin/sh", "sh", "-c", "exit 0", (char *)NULL);
}

TEST(dies_with_exec)
{
    finish(start(take_and_call_exec, NULL));
    assert_int_equal(fw_ipc_mutex_lock(m), EOWNERDEAD);
    assert_int_equal(fw_ipc_mutex_consistent(m), 0);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
    fw_ipc_leave_(fixture.mapping);
}

/* AGT3 */
static void find_none(void *arg)
{
    uint64_t before = agent.id;

    (void)arg;
    /* Nothing of the parent's is left for a thread that looks while another one starts an agent. */
    if (fw_ipc_agents_[fixture.mapping->index].id != 0)
        _exit(2);
    if (fw_ipc_agent_find_(fixture.mapping, &agent) ||
        fw_ipc_mutex_unlock_as_(m, TASK(6)) != EPERM || fw_ipc_mutex_trylock(m) != EBUSY ||
        fw_ipc_agent_(fixture.mapping, &agent) != 0 || agent.id == before)
        _exit(1);
    _exit(0);
}

TEST(is_not_in_a_forked_child)
{
    take(6);
    finish(start(find_none, NULL));
    assert_int_equal(fw_ipc_mutex_unlock_as_(m, TASK(6)), 0);
    fw_ipc_leave_(fixture.mapping);
}

static void join_and_stay(void *arg)
{
    struct fw_ipc_me_ me;

    (void)arg;
    fw_ipc_enter_(m, &me);
    pause();
}

TEST(needs_a_slot)
{
    pid_t child[PARTICIPANTS];

    for (unsigned i = 0; i < PARTICIPANTS; i++)
        child[i] = start_asleep(join_and_stay, NULL);
    assert_int_equal(fw_ipc_agent_(fixture.mapping, &agent), EAGAIN);
    for (unsigned i = 0; i < PARTICIPANTS; i++)
        kill_and_wait(child[i]);
    assert_int_equal(fw_ipc_agent_(fixture.mapping, &agent), 0);
}

static int make_with_deaths(void)
{
    need_robust_lists();
    return make();
}

UNIT_MAIN(make_with_deaths, unmake)
