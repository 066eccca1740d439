/* SPDX-License-Identifier: MIT */
/* Which engine a process has, to which something is refused, and in which threads. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>

#include "engine_fixture.h"
#include "sys/call_waitv.h"
#include "test/support/child.h"
#include "test/support/refuse_call.h"

enum { URING_SETUP = 425, URING_ENTER = 426 };

static void choose(const char *name)
{
    assert_int_equal(fw_engine_open_(&engine, FW_ENGINE_AUTO_), 0);
    assert_string_equal(engine->kind->name, name);
    tells_of_a_wake();
    fw_engine_close_(engine);
}

static void without_uring(void *arg)
{
    (void)arg;
    if (!refuse_call(URING_SETUP))
        _exit(0);
    assert_int_equal(fw_engine_open_(&engine, FW_ENGINE_URING_), EPERM);
    choose("thread");
    _exit(0);
}

/* The ring is there, and nothing gets into it: what was armed for the trial is taken back. */
static void without_entering(void *arg)
{
    (void)arg;
    if (fw_engine_try_(FW_ENGINE_URING_) != 0 || !refuse_call(URING_ENTER))
        _exit(0);
    assert_int_equal(fw_engine_try_(FW_ENGINE_URING_), ENOTSUP);
    choose("thread");
    _exit(0);
}

/* All waits look once in an interval. */
static void without_both(void *arg)
{
    (void)arg;
    if (!refuse_call(URING_SETUP) || !refuse_call(FW_CALL_FUTEX_WAITV_))
        _exit(0);
    assert_int_equal(fw_engine_open_(&engine, FW_ENGINE_AUTO_), 0);
    assert_string_equal(engine->kind->name, "thread");
    arm(0, 0);
    fw_engine_flush_(engine);
    fw_store32_relaxed(&words[0], 1);
    assert_int_equal(take_first(), FW_TOLD_LOOK_);
    fw_engine_close_(engine);
    _exit(0);
}

static void with_little_memory(void *arg)
{
    struct rlimit limit = {65536, 65536};

    (void)arg;
    setrlimit(RLIMIT_MEMLOCK, &limit);
    if (setuid(65534) == 0 || getuid() != 0)
        assert_int_equal(fw_engine_try_(FW_ENGINE_URING_), 0);
    _exit(0);
}

static void *nothing(void *arg)
{
    return arg;
}

/* The first thread is made after the wait was armed: private waits would be lost then. */
static void before_the_first_thread(void *arg)
{
    pthread_t thread;

    open_engine(*(uint32_t *)arg);
    arm(0, 0);
    assert_true(fw_engine_flush_(engine));
    assert_int_equal(pthread_create(&thread, NULL, nothing, NULL), 0);
    pthread_join(thread, NULL);
    wake(0);
    assert_int_equal(take_first(), FW_TOLD_LOOK_);
    fw_engine_close_(engine);
    _exit(0);
}

/* A child has the parent's engine, and leaves it alone. */
static void forgets(void *arg)
{
    (void)arg;
    fw_engine_forget_(engine);
    _exit(0);
}

static void with_environment(void *arg)
{
    setenv("FURWOCK_LOOP_ENGINE", arg, 1);
    if (strcmp(arg, "thread") == 0)
        choose("thread");
    else
        assert_int_equal(fw_engine_open_(&engine, FW_ENGINE_AUTO_), EINVAL);
    _exit(0);
}

TEST(chooses_what_is_not_refused)
{
    finish(start(without_uring, NULL));
    finish(start(without_entering, NULL));
    finish(start(without_both, NULL));
    finish(start(with_environment, "thread"));
    finish(start(with_environment, "quickly"));
    assert_int_equal(fw_engine_open_(&engine, 77), EINVAL);
}

TEST(is_there_before_the_first_thread)
{
    uint32_t which = FW_ENGINE_THREAD_;

    finish(start(before_the_first_thread, &which));
    which = FW_ENGINE_URING_;
    if (fw_engine_try_(which) == 0)
        finish(start(before_the_first_thread, &which));
}

TEST(needs_little_memory)
{
    if (fw_engine_try_(FW_ENGINE_URING_) != 0)
        skip();
    finish(start(with_little_memory, NULL));
}

TEST(survives_the_end_of_a_child)
{
    for (uint32_t which = FW_ENGINE_URING_; which <= FW_ENGINE_THREAD_; which++) {
        if (fw_engine_try_(which) != 0)
            continue;
        open_engine(which);
        arm(0, 0);
        fw_engine_flush_(engine);
        finish(start(forgets, NULL));
        wake(0);
        assert_int_equal(take_first(), FW_TOLD_LOOK_);
        fw_engine_close_(engine);
    }
}

/* The thread that has run the loop has ended: another one goes on. */
static void *arm_and_end(void *arg)
{
    arm(0, 0);
    fw_engine_flush_(engine);
    return arg;
}

TEST(changes_threads)
{
    for (uint32_t which = FW_ENGINE_URING_; which <= FW_ENGINE_THREAD_; which++) {
        pthread_t thread;
        if (fw_engine_try_(which) != 0)
            continue;
        open_engine(which);
        assert_int_equal(pthread_create(&thread, NULL, arm_and_end, NULL), 0);
        pthread_join(thread, NULL);
        arm(1, 0);
        fw_engine_flush_(engine);
        fw_engine_disarm_(engine, &waits[0]);
        fw_engine_flush_(engine);
        fw_store32_relaxed(&words[1], 1);
        fw_futex_wake(&words[1], 1, FW_FUTEX_SHARED);
        uint8_t told[MANY] = {0};
        take(2, told);
        assert_int_equal(told[1], FW_TOLD_LOOK_);
        fw_engine_close_(engine);
    }
}

UNIT_MAIN(NULL, NULL)
