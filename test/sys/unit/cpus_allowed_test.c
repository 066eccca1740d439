/* SPDX-License-Identifier: MIT */
#include <sched.h>

#include "sys/cpu_count.h"
#include "test/support/unit.h"

TEST(what_is_allowed_at_first_is_kept)
{
    cpu_set_t usable, one;

    assert_int_equal(sched_getaffinity(0, sizeof usable, &usable), 0);
    assert_int_equal(fw_cpus_allowed_(), CPU_COUNT(&usable));
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(fw_cpus_allowed_(), CPU_COUNT(&usable));
    assert_int_equal(sched_setaffinity(0, sizeof usable, &usable), 0);
}

UNIT_MAIN(NULL, NULL)
