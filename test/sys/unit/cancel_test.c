/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include <furwock/futex.h>

#include "sys/cancel.h"
#include "test/support/unit.h"

/* src/sys/cancel.c with the real kernel. */

static uint32_t word;
static unsigned cleaned;

static void clean(void *arg)
{
    *(unsigned *)arg += 1;
}

static void *sleeps(void *result)
{
    *(int *)result = fw_futex_wait_cancellable_(&word, 0, FW_FUTEX_ANY_BIT, FW_FUTEX_PRIVATE, NULL,
                                                clean, &cleaned);
    return NULL;
}

static void *passes_a_point(void *arg)
{
    int old;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    while (__atomic_load_n((int *)arg, __ATOMIC_ACQUIRE) == 0)
        ;
    pthread_setcancelstate(old, NULL);
    fw_cancel_point_(clean, &cleaned);
    return NULL;
}

static void a_moment(void)
{
    nanosleep(&(struct timespec){0, 20000000}, NULL);
}

TEST(a_wake_returns_as_ever)
{
    pthread_t thread;
    int result = -1;

    cleaned = 0;
    assert_int_equal(pthread_create(&thread, NULL, sleeps, &result), 0);
    while (fw_futex_wake(&word, 1, FW_FUTEX_PRIVATE) == 0)
        a_moment();
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(result, 0);
    assert_int_equal(cleaned, 0);
}

TEST(a_changed_word_is_told)
{
    assert_int_equal(fw_futex_wait_cancellable_(&word, 1, FW_FUTEX_ANY_BIT, FW_FUTEX_PRIVATE, NULL,
                                                clean, &cleaned),
                     -EAGAIN);
}

TEST(a_sleeper_is_cancelled)
{
    pthread_t thread;
    void *ended;
    int result = -1;

    cleaned = 0;
    assert_int_equal(pthread_create(&thread, NULL, sleeps, &result), 0);
    a_moment();
    assert_int_equal(pthread_cancel(thread), 0);
    assert_int_equal(pthread_join(thread, &ended), 0);
    assert_ptr_equal(ended, PTHREAD_CANCELED);
    assert_int_equal(result, -1);
    assert_int_equal(cleaned, 1);
}

TEST(a_request_that_is_pending_is_honoured)
{
    pthread_t thread;
    void *ended;
    int go = 0;

    cleaned = 0;
    assert_int_equal(pthread_create(&thread, NULL, passes_a_point, &go), 0);
    assert_int_equal(pthread_cancel(thread), 0);
    __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
    assert_int_equal(pthread_join(thread, &ended), 0);
    assert_ptr_equal(ended, PTHREAD_CANCELED);
    assert_int_equal(cleaned, 1);
}

UNIT_MAIN(NULL, NULL)
