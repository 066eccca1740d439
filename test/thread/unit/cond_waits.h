/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_COND_WAITS_H
#define FW_TEST_COND_WAITS_H

#include <furwock/cond.h>

#include "mutex_words.h"

/*
 * How the tests of the condition variable wait and wake under the fake kernel.  A hook that runs
 * while a thread sleeps plays the others; a thread that waits inside a hook is queued behind it,
 * and returns first.
 */

/* The only mutex and the only variable of these tests. */
static fw_mutex m;
static fw_cond c;
static int inner_result; /* of the wait that began while the first slept */

static inline int reset_cond(void)
{
    fw_mutex_init(&m);
    fw_cond_init(&c);
    inner_result = -1;
    return reset_fake();
}

/* Does something as another thread that holds the mutex; as one that does not. */
static inline void with_mutex(void (*call)(fw_cond *))
{
    uint32_t before = fake_as(OWNER);

    fw_mutex_lock(&m);
    call(&c);
    fw_mutex_unlock(&m);
    fake_as(before >> FW_ID_SHIFT);
}

static inline void without_mutex(void (*call)(fw_cond *))
{
    uint32_t before = fake_as(OWNER);

    call(&c);
    fake_as(before >> FW_ID_SHIFT);
}

static inline int wait_blocking(const fw_deadline *deadline)
{
    int result;

    fw_mutex_lock(&m);
    result = fw_cond_wait_policy(&c, &m, &block, deadline);
    assert_int_equal(fw_mutex_owner(&m), fw_self_() >> FW_ID_SHIFT);
    fw_mutex_unlock(&m);
    return result;
}

/* A second waiter, as thread OTHER, while the first sleeps. */
static inline void another_waits(const fw_deadline *deadline)
{
    uint32_t before = fake_as(OTHER);

    inner_result = wait_blocking(deadline);
    fake_as(before >> FW_ID_SHIFT);
}

#endif
