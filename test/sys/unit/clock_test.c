/* SPDX-License-Identifier: MIT */
#include <time.h>

#include "sys/clock.h"
#include "test/support/now.h"
#include "test/support/unit.h"

/* src/sys/clock.c. */

TEST(the_clock_is_the_monotonic_one)
{
    for (int i = 0; i < 1000; i++) {
        uint64_t before = now_ns();
        uint64_t now = fw_clock_ns_();
        uint64_t after = now_ns();

        assert_true(before <= now && now <= after);
    }
}

TEST(both_clocks_can_be_read)
{
    static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME};

    for (int i = 0; i < 2; i++) {
        struct timespec before, now, after;

        clock_gettime(clocks[i], &before);
        fw_clock_get_(clocks[i], &now);
        clock_gettime(clocks[i], &after);
        assert_true(before.tv_sec <= now.tv_sec && now.tv_sec <= after.tv_sec);
        assert_true(now.tv_nsec >= 0 && now.tv_nsec < 1000000000);
    }
}

TEST(pauses_and_yields_return)
{
    for (int i = 0; i < 1000; i++) {
        fw_pause_();
        fw_yield_();
    }
}

UNIT_MAIN(NULL, NULL)
