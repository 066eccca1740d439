/* SPDX-License-Identifier: MIT */
#include "engine_fixture.h"

#include <pthread.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>

#include "sys/descriptors.h"
#include "sys/readable.h"
#include "sys/uring.h"

/* linux/io_uring.h: there is something in the kernel that has to be run. */
enum { SQ_TASKRUN = 4 };

TEST(passes_what_every_engine_must)
{
    if (fw_engine_try_(FW_ENGINE_URING_) != 0) {
        print_message("(there is no such engine here)\n");
        skip();
    }
    engine_passes_all(FW_ENGINE_URING_);
}

/* How an engine by io_uring begins. */
struct prefix {
    struct fw_engine_ base;
    struct fw_uring_ ring;
};

/*
 * The kernel may set the flag after the completion for which it does was taken already, and leaves
 * it so until the next one comes.
 */
TEST(a_flag_that_comes_late_is_not_waited_for)
{
    const struct prefix *u;

    if (fw_engine_try_(FW_ENGINE_URING_) != 0)
        skip();
    open_engine(FW_ENGINE_URING_);
    u = (const struct prefix *)engine;
    fw_or32_relaxed(u->ring.sq_flags, SQ_TASKRUN);
    assert_true(fw_engine_flush_(engine));
    assert_null(fw_engine_reap_(engine));
    fw_or32_relaxed(u->ring.sq_flags, SQ_TASKRUN);
    tells_of_a_wake();
    fw_engine_close_(engine);
}

/* As a loop does for as long as it has something to do; true: it has nothing more in the end. */
static bool becomes_quiet(void)
{
    unsigned runs = 0;

    while (fw_readable_within_(fw_engine_fd_(engine), SLICE_NS)) {
        fw_engine_reap_(engine);
        fw_engine_flush_(engine);
        if (runs++ == 100)
            return false;
    }
    return true;
}

TEST(a_descriptor_that_is_raised_for_nothing_is_cleared)
{
    if (fw_engine_try_(FW_ENGINE_URING_) != 0)
        skip();
    open_engine(FW_ENGINE_URING_);
    fw_event_write_(fw_engine_fd_(engine)); /* the kernel, late */
    assert_true(becomes_quiet());
    tells_of_a_wake();
    fw_engine_close_(engine);
}

enum { MOVED = 8 };

static void *run_from_now_on(void *is_quiet)
{
    uint8_t told[MANY] = {0};

    take(MOVED, told);
    *(bool *)is_quiet = becomes_quiet();
    fw_engine_close_(engine);
    return NULL;
}

/* What was told in the ring of the former thread, and was not taken there. */
TEST(another_thread_is_not_told_for_ever)
{
    bool is_quiet = false;
    pthread_t other;

    if (fw_engine_try_(FW_ENGINE_URING_) != 0)
        skip();
    open_engine(FW_ENGINE_URING_);
    for (unsigned i = 0; i < MOVED; i++)
        arm(i, 0);
    assert_true(fw_engine_flush_(engine));
    for (unsigned i = 0; i < MOVED; i++)
        assert_int_equal(fw_futex_wake(&words[i], 1, FW_FUTEX_SHARED), 1);
    assert_int_equal(pthread_create(&other, NULL, run_from_now_on, &is_quiet), 0);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_true(is_quiet);
}

UNIT_MAIN(NULL, NULL)
