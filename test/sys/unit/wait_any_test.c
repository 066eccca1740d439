/* SPDX-License-Identifier: MIT */
#include "sys/wait_any.h"

#include <errno.h>

#include <furwock/futex.h>

#include "test/support/unit.h"

/* src/sys/wait_any.c: what it says is what the call itself answers, however often it is asked. */

TEST(says_what_the_kernel_does)
{
    uint32_t word = 1;
    fw_futex_any words[] = {{&word, 0, FW_FUTEX_SHARED}};
    bool can = fw_futex_wait_any(words, 1, NULL) == -EAGAIN;

    assert_int_equal(fw_can_wait_any_(), can);
    assert_int_equal(fw_can_wait_any_(), can);
}

UNIT_MAIN(NULL, NULL)
