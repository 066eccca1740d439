/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdint.h>

#include <furwock/bits/deadline.h>
#include <furwock/sem.h>

#include "sys/clock.h"
#include "test/support/unit.h"

/* src/core/deadline.c: points in time that lie ahead. */

#define SECOND UINT64_C(1000000000)

static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME};

#define CLOCKS (sizeof clocks / sizeof *clocks)

/* It is between now + ns, as read before and after. */
static void assert_ahead(clockid_t clock, uint64_t ns)
{
    fw_deadline before = fw_deadline_in_(clock, ns), d = fw_deadline_after(clock, ns);
    fw_deadline after = fw_deadline_in_(clock, ns);

    assert_int_equal(d.clock, clock);
    assert_true(fw_deadline_is_valid_(&d));
    assert_false(fw_time_is_before_(&d.at, &before.at));
    assert_false(fw_time_is_before_(&after.at, &d.at));
}

TEST(lies_ahead)
{
    static const uint64_t all[] = {0, 1, SECOND - 1, SECOND, 3 * SECOND + 7, 100000000 * SECOND};

    for (unsigned c = 0; c < CLOCKS; c++)
        for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
            assert_ahead(clocks[c], all[i]);
}

TEST(the_greatest_is_not_in_the_past)
{
    for (unsigned c = 0; c < CLOCKS; c++) {
        fw_deadline d = fw_deadline_after(clocks[c], UINT64_MAX);
        fw_deadline earlier = fw_deadline_after(clocks[c], UINT64_MAX / 2);

        assert_true(fw_deadline_is_valid_(&d));
        assert_false(fw_deadline_is_over_(&d));
        assert_false(fw_time_is_before_(&d.at, &earlier.at));
    }
}

TEST(another_clock_is_an_error_of_the_call_that_waits)
{
    fw_sem s = FW_SEM_INIT(1);
    fw_deadline d = fw_deadline_after(CLOCK_BOOTTIME, SECOND);

    assert_int_equal(fw_sem_timedwait(&s, &d), 0);
    assert_int_equal(fw_sem_timedwait(&s, &d), EINVAL);
    d = fw_deadline_after(CLOCK_MONOTONIC, 1);
    assert_int_equal(fw_sem_timedwait(&s, &d), ETIMEDOUT);
}

UNIT_MAIN(NULL, NULL)
