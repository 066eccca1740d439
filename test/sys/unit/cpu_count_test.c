/* SPDX-License-Identifier: MIT */
#include <sched.h>
#include <unistd.h>

#include "sys/cpu_count.h"
#include "test/support/unit.h"

TEST(there_are_as_many_as_the_process_may_use_or_more)
{
    uint32_t n = fw_cpu_count_();
    cpu_set_t usable;

    assert_true(n >= 1);
    assert_true(n >= (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
    if (sched_getaffinity(0, sizeof usable, &usable) == 0)
        assert_true(n >= (uint32_t)CPU_COUNT(&usable));
    assert_int_equal(fw_cpu_count_(), n);
}

UNIT_MAIN(NULL, NULL)
