/* SPDX-License-Identifier: MIT */
#include <pthread.h>

#include "rush.h"
#include "test/support/testing.h"

/* atomic/rush.c. */

static uint64_t here, there;

static void failing_where_others_write(void **state)
{
    (void)state;
    assert_false(fw_contention_(&here, 2)); /* for the first time */
    assert_true(fw_contention_(&here, 4));
    assert_true(fw_contention_(&here, 6));
    assert_false(fw_contention_(&here, 6)); /* nobody has written since */
    assert_true(fw_contention_(&here, 8));
}

static void failing_here_and_there(void **state)
{
    (void)state;
    fw_contention_(&here, 2);
    assert_false(fw_contention_(&there, 4));
    assert_false(fw_contention_(&here, 6));
    assert_true(fw_contention_(&here, 8));
}

static void *fail_elsewhere(void *arg)
{
    (void)arg;
    assert_false(fw_contention_(&here, 4));
    assert_false(fw_contention_(&there, 6));
    return NULL;
}

static void each_thread_for_itself(void **state)
{
    pthread_t other;

    (void)state;
    fw_contention_(&here, 2);
    assert_int_equal(pthread_create(&other, NULL, fail_elsewhere, NULL), 0);
    pthread_join(other, NULL);
    assert_true(fw_contention_(&here, 4));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(failing_where_others_write),
        cmocka_unit_test(failing_here_and_there),
        cmocka_unit_test(each_thread_for_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
