/* SPDX-License-Identifier: MIT */
/*
 * The thread's robust list is the C library's, and its own robust mutexes are in it as well: before
 * ours, after it, in between, very many of them; and a system call filter that hides the list, or
 * refuses to sleep on several words when the thread has done so already.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fixture.h"
#include "sys/call_waitv.h"
#include "test/support/refuse_call.h"

/* The kernel walks 2048 entries of a list. */
enum { SOME = 60, VERY_MANY = 3000 };

static pthread_mutex_t *p; /* shared */

static void make_mutexes(void)
{
    pthread_mutexattr_t how;

    pthread_mutexattr_init(&how);
    pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
    for (unsigned i = 0; i < VERY_MANY; i++)
        CHECK(pthread_mutex_init(&p[i], &how) == 0);
}

static void take(unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        CHECK(pthread_mutex_lock(&p[i]) == 0);
}

static void give(unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        CHECK(pthread_mutex_unlock(&p[i]) == 0);
}

static void expect_pthread_left(unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++) {
        int error = pthread_mutex_lock(&p[i]);
        if (error != EOWNERDEAD)
            fail("the C library's mutex %u: %d", i, error);
        CHECK(pthread_mutex_consistent(&p[i]) == 0 && pthread_mutex_unlock(&p[i]) == 0);
    }
}

static void expect_pthread_free(unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        CHECK(pthread_mutex_trylock(&p[i]) == 0 && pthread_mutex_unlock(&p[i]) == 0);
}

static void stay(void)
{
    flag_raise(0);
    for (;;)
        pause();
}

/* Runs the body in a child until it stays, and kills it. */
static pid_t kill_after(void (*body)(void *))
{
    pid_t child;

    fixture.flags[0] = 0;
    child = start(body, NULL);
    flag_await(0);
    kill_and_wait(child);
    return child;
}

static void both_kinds(void *arg)
{
    (void)arg;
    take(0, 10);
    CHECK(lock_soon(fixture.m[0]) == 0);
    take(10, 20);
    give(5, 15);
    CHECK(lock_soon(fixture.m[1]) == 0);
    CHECK(fw_ipc_mutex_unlock(fixture.m[1]) == 0);
    take(20, SOME);
    stay();
}

static void both_kinds_work(void)
{
    pid_t child = kill_after(both_kinds);

    expect_left(fixture.m[0], child, child);
    expect_pthread_left(0, 5);
    expect_pthread_free(5, 15);
    expect_pthread_left(15, SOME);
}

/* Comes and goes between the others' entries; it holds nothing of ours in the end. */
static void come_and_go(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < SOME; i += 2) {
        take(i, i + 1);
        CHECK(lock_soon(fixture.m[0]) == 0 && fw_ipc_mutex_unlock(fixture.m[0]) == 0);
        take(i + 1, i + 2);
        if (i % 3 == 0)
            CHECK(fw_region_leave(fixture.region) == 0);
        if (i % 4 == 0)
            give(i, i + 1);
    }
    CHECK(fw_region_leave(fixture.region) == 0);
    stay();
}

static void entries_of_both_kinds_come_and_go(void)
{
    kill_after(come_and_go);
    for (unsigned i = 0; i < SOME; i++)
        (i % 4 == 0 ? expect_pthread_free : expect_pthread_left)(i, i + 1);
}

/* All is given back by the thread itself: nobody finds anything. */
static void end_well(void *arg)
{
    (void)arg;
    take(0, SOME);
    CHECK(lock_soon(fixture.m[0]) == 0);
    give(0, SOME / 2);
    CHECK(fw_ipc_mutex_unlock(fixture.m[0]) == 0);
    CHECK(fw_region_close(fixture.region) == 0);
    give(SOME / 2, SOME);
}

static void nothing_is_left_behind(void)
{
    finish(start(end_well, NULL));
    expect_pthread_free(0, SOME);
}

/* More than the kernel follows, entered after ours: others find out by themselves. */
static void very_many(void *arg)
{
    (void)arg;
    CHECK(lock_soon(fixture.m[0]) == 0);
    take(0, VERY_MANY);
    stay();
}

static void behind_very_many_others(void)
{
    pid_t child = kill_after(very_many);

    expect_left(fixture.m[0], child, child);
    make_mutexes(); /* the kernel has not come to all of them */
}

/*
 * A thread that the C library has given no list: made by clone, or musl's before its first robust
 * mutex.  trylock believes the kernel's mark only.
 */
static void hold_with_a_list_of_ours(void *arg)
{
    (void)arg;
    CHECK(syscall(SYS_set_robust_list, NULL, 3 * sizeof(long)) == 0);
    CHECK(lock_soon(fixture.m[0]) == 0 && lock_soon(fixture.m[1]) == 0);
    CHECK(fw_ipc_mutex_unlock(fixture.m[1]) == 0);
    stay();
}

static void a_thread_without_a_list(void)
{
    kill_after(hold_with_a_list_of_ours);
    CHECK(fw_ipc_mutex_trylock(fixture.m[0]) == EOWNERDEAD);
    CHECK(fw_ipc_mutex_consistent(fixture.m[0]) == 0 && fw_ipc_mutex_unlock(fixture.m[0]) == 0);
    CHECK(fw_ipc_mutex_trylock(fixture.m[1]) == 0 && fw_ipc_mutex_unlock(fixture.m[1]) == 0);
}

/* --- Refused --------------------------------------------------------------------------------- */

static void hold_without_list(void *arg)
{
    (void)arg;
    if (!refuse_call(SYS_get_robust_list))
        puts("(system calls cannot be refused here)");
    take(0, SOME);
    CHECK(lock_soon(fixture.m[0]) == 0);
    CHECK(fw_ipc_rwlock_rdlock(fixture.rw) == 0);
    stay();
}

static void the_list_cannot_be_had(void)
{
    pid_t child = kill_after(hold_without_list);

    expect_left(fixture.m[0], child, child);
    CHECK(fw_ipc_rwlock_wrlock(fixture.rw) == 0 && fw_ipc_rwlock_wrunlock(fixture.rw) == 0);
    expect_pthread_left(0, SOME);
}

static void wait_on_under_a_filter(void *arg)
{
    (void)arg;
    expect_held(fixture.m[0]);
    if (!refuse_call(FW_CALL_FUTEX_WAITV_))
        puts("(system calls cannot be refused here)");
    expect_held(fixture.m[0]);
    flag_raise(1);
    expect_left(fixture.m[0], 0, 0);
}

static void a_filter_comes_late(void)
{
    pid_t holder = start_holder(0);
    pid_t waiter = start(wait_on_under_a_filter, NULL);

    flag_await(1);
    kill_and_wait(holder);
    finish(waiter);
}

int main(void)
{
    fixture_make(FW_REGION_MIN_SIZE);
    p = share(VERY_MANY * sizeof *p);
    make_mutexes();
    CASE(both_kinds_work);
    CASE(entries_of_both_kinds_come_and_go);
    CASE(nothing_is_left_behind);
    if (!is_constrained) /* a sanitizer does not bear that many */
        CASE(behind_very_many_others);
    CASE(a_thread_without_a_list);
    CASE(the_list_cannot_be_had);
    CASE(a_filter_comes_late);
    return EXIT_SUCCESS;
}
