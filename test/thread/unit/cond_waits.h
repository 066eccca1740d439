/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_COND_WAITS_H
#define FW_TEST_COND_WAITS_H

#include <furwock/cond.h>

#include "mutex_words.h"

/*
 * How the tests of the condition variable wait and wake under the fake kernel.  A hook that runs
 * while a thread sleeps plays the others.
 */

/* The only variable of these tests. */
static fw_cond c;

static inline int reset_cond(void)
{
    fw_cond_init(&c);
    return reset_mutex();
}

/* As OWNER, and what it does it does with the mutex. */
#define WITH_MUTEX(...) AS(OWNER, fw_mutex_lock(&m); __VA_ARGS__; fw_mutex_unlock(&m))

static inline int wait_blocking(const fw_deadline *deadline)
{
    int result;

    fw_mutex_lock(&m);
    result = fw_cond_wait_policy(&c, &m, &block, deadline);
    assert_int_equal(fw_mutex_owner(&m), fw_self_() >> FW_ID_SHIFT);
    fw_mutex_unlock(&m);
    return result;
}

#endif
