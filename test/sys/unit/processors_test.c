/* SPDX-License-Identifier: MIT */
#include <sched.h>
#include <unistd.h>

#include "sys/processors.h"
#include "test/support/testing.h"

static void there_are_as_many_as_the_process_may_use_or_more(void **unused)
{
    uint32_t n = fw_processors_();
    cpu_set_t usable;

    (void)unused;
    assert_true(n >= 1);
    assert_true(n >= (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
    if (sched_getaffinity(0, sizeof usable, &usable) == 0)
        assert_true(n >= (uint32_t)CPU_COUNT(&usable));
    assert_int_equal(fw_processors_(), n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_as_many_as_the_process_may_use_or_more),
    };

    return cmocka_run_group_tests_name("processors", tests, NULL, NULL);
}
