/* SPDX-License-Identifier: MIT */
#include "engine_fixture.h"

#include <furwock/bits/atomic.h>

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

UNIT_MAIN(NULL, NULL)
