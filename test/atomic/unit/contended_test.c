/* SPDX-License-Identifier: MIT */
#include <pthread.h>

#include "contended.h"
#include "test/support/unit.h"

/* atomic/contended.c. */

static uint64_t here, there;

TEST(failing_where_others_write)
{
    assert_false(fw_contention_(&here, 2)); /* for the first time */
    assert_true(fw_contention_(&here, 4));
    assert_true(fw_contention_(&here, 6));
    assert_false(fw_contention_(&here, 6)); /* nobody has written since */
    assert_true(fw_contention_(&here, 8));
}

TEST(failing_here_and_there)
{
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

TEST(each_thread_for_itself)
{
    pthread_t other;

    fw_contention_(&here, 2);
    assert_int_equal(pthread_create(&other, NULL, fail_elsewhere, NULL), 0);
    pthread_join(other, NULL);
    assert_true(fw_contention_(&here, 4));
}

UNIT_MAIN(NULL, NULL)
