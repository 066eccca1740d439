/* SPDX-License-Identifier: MIT */
/* sys/schedule.h with the real kernel. */
#include "sys/schedule.h"

#include <errno.h>
#include <sched.h>

#include "test/support/unit.h"

TEST(ordinary_threads_are_not_real_time)
{
    int policy = -1, priority = -1;

    assert_int_equal(fw_schedule_(0, SCHED_OTHER, 0), 0);
    assert_false(fw_is_real_time_());
    assert_int_equal(fw_urgency_(), 0);
    assert_int_equal(fw_urgency_known_(), 0);
    assert_int_equal(fw_schedule_(0, SCHED_OTHER, 1), -EINVAL);
    assert_int_equal(fw_schedule_(0x3ffffff0, SCHED_OTHER, 0), -ESRCH);
    assert_int_equal(fw_scheduled_as_(0x3ffffff0, &policy, &priority), -ESRCH);
    assert_int_equal(fw_scheduled_as_(0, &policy, &priority), 0);
    assert_int_equal(policy, SCHED_OTHER);
    assert_int_equal(priority, 0);
}

TEST(those_with_a_priority_are)
{
    const int policies[] = {SCHED_FIFO, SCHED_RR};
    int policy, priority;

    for (int i = 0; i < 2; i++) {
        if (fw_schedule_(0, policies[i], 1) == -EPERM)
            skip();
        assert_true(fw_is_real_time_());
        assert_int_equal(fw_scheduled_as_(0, &policy, &priority), 0);
        assert_int_equal(policy, policies[i]);
        assert_int_equal(priority, 1);
        assert_int_equal(fw_urgency_(), 1);
        assert_int_equal(fw_schedule_(0, policies[i], 7), 0);
        assert_int_equal(fw_urgency_known_(), 1); /* until it asks again */
        assert_int_equal(fw_urgency_(), 7);
        assert_int_equal(fw_urgency_known_(), 7);
        assert_int_equal(fw_schedule_(0, SCHED_OTHER, 0), 0);
    }
}

TEST(priorities_are_the_kernels)
{
    for (int i = 0; i < 2; i++) { /* asked, and remembered */
        assert_int_equal(fw_fifo_lowest_(), sched_get_priority_min(SCHED_FIFO));
        assert_int_equal(fw_fifo_highest_(), sched_get_priority_max(SCHED_FIFO));
    }
}

UNIT_MAIN(NULL, NULL)
