/* SPDX-License-Identifier: MIT */
#include "sys/wait_any.h"

#include <errno.h>

#include <furwock/futex.h>

#include "test/support/testing.h"

/* src/sys/wait_any.c: what it says is what the call itself answers, however often it is asked. */

static void says_what_the_kernel_does(void **state)
{
    uint32_t word = 1;
    fw_futex_any words[] = {{&word, 0, FW_FUTEX_SHARED}};
    bool can = fw_futex_wait_any(words, 1, NULL) == -EAGAIN;

    (void)state;
    assert_int_equal(fw_can_wait_any_(), can);
    assert_int_equal(fw_can_wait_any_(), can);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(says_what_the_kernel_does)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
