/* SPDX-License-Identifier: MIT */
/*
 * What can happen to a holder: its process forks, becomes another program, is stopped, closes the
 * region; its thread ends.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

/* --- Forks: the child is somebody else ------------------------------------------------------- */

static pid_t fork_plainly(void)
{
    return fork();
}

static pid_t fork_without_handlers(void)
{
    return _Fork();
}

static pid_t fork_by_system_call(void)
{
    return (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
}

static void be_child_of_holder(void)
{
    fw_ipc_mutex *m = fixture.m[0];

    CHECK(!fw_ipc_mutex_is_held_by_me(m) &&
          fw_ipc_rwlock_held_by_me(fixture.rw) == FW_IPC_RWLOCK_NONE);
    CHECK(fw_ipc_mutex_unlock(m) == EPERM && fw_ipc_mutex_consistent(m) == EPERM);
    CHECK(fw_ipc_rwlock_rdunlock(fixture.rw) == EPERM);
    expect_held(m);
    expect_free(fixture.m[1]);
    flag_raise(0);
    CHECK(lock_soon(m) == 0);
    CHECK(fw_ipc_mutex_is_held_by_me(m));
    CHECK(fw_ipc_mutex_unlock(m) == 0);
}

static void fork_by(pid_t (*make)(void))
{
    pid_t child;

    CHECK(fw_ipc_mutex_lock(fixture.m[0]) == 0);
    CHECK(fw_ipc_rwlock_rdlock(fixture.rw) == 0);
    fixture.flags[0] = 0;
    child = make();
    CHECK(child >= 0);
    if (child == 0) {
        be_child_of_holder();
        _exit(EXIT_SUCCESS);
    }
    flag_await(0);
    CHECK(fw_ipc_mutex_is_held_by_me(fixture.m[0]));
    CHECK(fw_ipc_rwlock_held_by_me(fixture.rw) == FW_IPC_RWLOCK_READ);
    CHECK(fw_ipc_mutex_unlock(fixture.m[0]) == 0);
    CHECK(fw_ipc_rwlock_rdunlock(fixture.rw) == 0);
    finish(child);
}

static void a_forked_child_holds_nothing(void)
{
    fork_by(fork_plainly);
    fork_by(fork_without_handlers);
    fork_by(fork_by_system_call);
}

/* The child outlives the holder that it was forked from. */
static void hold_and_fork(void *arg)
{
    pid_t child;

    (void)arg;
    CHECK(lock_soon(fixture.m[0]) == 0);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        flag_await(0);
        _exit(EXIT_SUCCESS);
    }
}

static void a_forked_child_keeps_nothing_alive(void)
{
    finish(start(hold_and_fork, NULL));
    expect_left(fixture.m[0], 0, 0);
    flag_raise(0);
}

static void relatives_do_not_disturb(void)
{
    static char *const words[] = {(char *)(uintptr_t) "true", NULL};
    pid_t child;
    int status;

    CHECK(fw_ipc_mutex_lock(fixture.m[0]) == 0);
    CHECK(posix_spawn(&child, "/bin/true", NULL, NULL, words, NULL) == 0);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(fw_ipc_mutex_is_held_by_me(fixture.m[0]));
    child = vfork();
    if (child == 0)
        _exit(EXIT_SUCCESS);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(fw_ipc_mutex_is_held_by_me(fixture.m[0]));
    CHECK(fw_ipc_mutex_unlock(fixture.m[0]) == 0);
}

/* --- exec ------------------------------------------------------------------------------------ */

static void become_sleeper(void)
{
    execl("/bin/sleep", "sleep", "1000", (char *)NULL);
    fail("no /bin/sleep");
}

static void hold_and_exec(void *arg)
{
    (void)arg;
    CHECK(lock_soon(fixture.m[0]) == 0);
    flag_raise(0);
    become_sleeper();
}

static void *hold_in_a_thread(void *arg)
{
    (void)arg;
    CHECK(lock_soon(fixture.m[0]) == 0);
    flag_raise(0);
    for (;;)
        pause();
    return NULL;
}

static void exec_beside_a_holder(void *arg)
{
    pthread_t thread;

    (void)arg;
    CHECK(pthread_create(&thread, NULL, hold_in_a_thread, NULL) == 0);
    flag_await(0);
    become_sleeper();
}

/* The process goes on as another program, and holds nothing. */
static void exec_ends_a_holder(void)
{
    static void (*const ways[])(void *) = {hold_and_exec, exec_beside_a_holder};

    for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        pid_t child;
        fixture.flags[0] = 0;
        child = start(ways[i], NULL);
        flag_await(0);
        expect_left(fixture.m[0], child, 0);
        kill_and_wait(child);
    }
}

/* --- Threads --------------------------------------------------------------------------------- */

static void *end_holding(void *arg)
{
    pid_t *id = arg;

    *id = gettid();
    CHECK(lock_soon(fixture.m[0]) == 0);
    CHECK(fw_ipc_rwlock_rdlock(fixture.rw) == 0);
    CHECK(fw_ipc_rwlock_rdlock(fixture.rw) == 0);
    return NULL;
}

static void *be_cancelled(void *arg)
{
    end_holding(arg);
    flag_raise(0);
    for (;;)
        pause();
    return NULL;
}

static void a_thread_that_ends_is_dead(void)
{
    pthread_t thread;
    pid_t id;

    CHECK(pthread_create(&thread, NULL, end_holding, &id) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    expect_left(fixture.m[0], getpid(), id);
    CHECK(fw_ipc_rwlock_wrlock(fixture.rw) == 0 && fw_ipc_rwlock_wrunlock(fixture.rw) == 0);
    CHECK(pthread_create(&thread, NULL, be_cancelled, &id) == 0);
    flag_await(0);
    expect_held(fixture.m[0]);
    CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, NULL) == 0);
    expect_left(fixture.m[0], getpid(), id);
}

/* --- Those who are stopped are not dead ------------------------------------------------------ */

static void wait_and_unlock(void *arg)
{
    int error = lock_soon(fixture.m[0]);

    CHECK(error == *(int *)arg);
    if (error == EOWNERDEAD)
        CHECK(fw_ipc_mutex_consistent(fixture.m[0]) == 0);
    CHECK(fw_ipc_mutex_unlock(fixture.m[0]) == 0);
}

static void hold_until_told(void *arg)
{
    (void)arg;
    CHECK(lock_soon(fixture.m[0]) == 0);
    flag_raise(0);
    flag_await(1);
    CHECK(fw_ipc_mutex_unlock(fixture.m[0]) == 0);
}

static pid_t start_stopped(void)
{
    pid_t child;
    int status;

    fixture.flags[0] = fixture.flags[1] = 0;
    child = start(hold_until_told, NULL);
    flag_await(0);
    kill(child, SIGSTOP);
    CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
    return child;
}

static void a_stopped_holder_is_waited_for(void)
{
    int good = 0, dead = EOWNERDEAD;
    pid_t child = start_stopped();
    pid_t waiter = start(wait_and_unlock, &good);

    expect_held(fixture.m[0]);
    flag_raise(1);
    kill(child, SIGCONT);
    finish(waiter);
    finish(child);

    child = start_stopped();
    waiter = start(wait_and_unlock, &dead);
    expect_held(fixture.m[0]);
    kill_and_wait(child);
    finish(waiter);
}

static void a_debugged_holder_is_waited_for(void)
{
    pid_t child = start_holder(0);
    int status;

    if (ptrace(PTRACE_SEIZE, child, NULL, NULL) != 0) {
        kill_and_wait(child);
        expect_left(fixture.m[0], child, child);
        puts("(nobody may be traced here)");
        return;
    }
    CHECK(ptrace(PTRACE_INTERRUPT, child, NULL, NULL) == 0);
    CHECK(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
    expect_held(fixture.m[0]);
    CHECK(ptrace(PTRACE_DETACH, child, NULL, NULL) == 0);
    expect_held(fixture.m[0]);
    kill_and_wait(child);
    expect_left(fixture.m[0], child, child);
}

/* --- Regions are closed ---------------------------------------------------------------------- */

static void close_holding(void *arg)
{
    fixture_remap();
    CHECK(lock_soon(fixture.m[0]) == 0);
    CHECK((arg != NULL ? fw_region_leave : fw_region_close)(fixture.region) == 0);
    flag_raise(0);
    for (;;)
        pause();
}

static void closed_with_a_lock_held(void)
{
    for (int i = 0; i < 2; i++) {
        pid_t child;
        fixture.flags[0] = 0;
        child = start(close_holding, i == 0 ? NULL : &child);
        flag_await(0);
        expect_left(fixture.m[0], child, child);
        kill_and_wait(child);
    }
}

/* One thread holds and stays, another closes the region: it is left when that thread ends. */
static void close_beside_a_holder(void *arg)
{
    pthread_t thread;

    (void)arg;
    fixture_remap();
    CHECK(pthread_create(&thread, NULL, hold_in_a_thread, NULL) == 0);
    flag_await(0);
    CHECK(fw_region_close(fixture.region) == 0);
    flag_raise(1);
    for (;;)
        pause();
}

static void closed_while_a_thread_holds(void)
{
    pid_t child = start(close_beside_a_holder, NULL);

    flag_await(1);
    expect_held(fixture.m[0]);
    kill_and_wait(child);
    expect_left(fixture.m[0], child, 0);
}

int main(void)
{
    fixture_make(FW_REGION_MIN_SIZE);
    CASE(a_forked_child_holds_nothing);
    CASE(a_forked_child_keeps_nothing_alive);
    CASE(relatives_do_not_disturb);
    CASE(exec_ends_a_holder);
    CASE(a_thread_that_ends_is_dead);
    CASE(a_stopped_holder_is_waited_for);
    CASE(a_debugged_holder_is_waited_for);
    CASE(closed_with_a_lock_held);
    CASE(closed_while_a_thread_holds);
    return EXIT_SUCCESS;
}
