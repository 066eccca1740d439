/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "core/recheck.h"
#include "test/support/unit.h"

/* src/core/recheck.h: the re-check intervals of one wait. */

static const uint64_t ms = 1000000;

TEST(intervals_grow_to_a_minute)
{
    uint64_t ns = 100 * ms, wakes = 0, total = 0;

    for (; ns != FW_RECHECK_MAX_NS; wakes++) {
        total += ns;
        ns = fw_recheck_after_(ns, -ETIMEDOUT, NULL);
        assert_true(ns <= FW_RECHECK_MAX_NS);
    }
    assert_true(wakes <= 4 && total < 2 * FW_RECHECK_MAX_NS);
    assert_true(fw_recheck_after_(ns, -ETIMEDOUT, NULL) == FW_RECHECK_MAX_NS);
}

/* A thread that is woken, or gets a signal, has looked, and keeps its interval. */
TEST(only_a_whole_interval_makes_the_next_longer)
{
    static const int errors[] = {0, -EAGAIN, -EINTR};

    for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++)
        assert_true(fw_recheck_after_(500 * ms, errors[i], NULL) == 500 * ms);
}

TEST(a_clock_that_may_be_set_is_looked_at)
{
    const fw_deadline real = {.clock = CLOCK_REALTIME};
    const fw_deadline steady = {.clock = CLOCK_MONOTONIC};
    uint64_t ns = 100 * ms;

    for (int i = 0; i < 10; i++)
        ns = fw_recheck_after_(ns, -ETIMEDOUT, &real);
    assert_true(ns == FW_RECHECK_REALTIME_NS);
    for (int i = 0; i < 10; i++)
        ns = fw_recheck_after_(ns, -ETIMEDOUT, &steady);
    assert_true(ns == FW_RECHECK_MAX_NS);
}

UNIT_MAIN(NULL, NULL)
