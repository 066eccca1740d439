/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/cancel.h"
#include "test/support/sleeper.h"
#include "test/support/unit.h"

/* src/sys/cancel.c with the real kernel. */

static uint32_t word;
static unsigned cleaned;

static int reset(void)
{
    cleaned = 0;
    return 0;
}

static void clean(void *arg)
{
    *(unsigned *)arg += 1;
}

/* The sleeper's thread, but its sleep is a cancellation point. */
static void *sleeps(void *arg)
{
    struct sleeper *s = arg;

    __atomic_store_n(&s->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    s->result = fw_futex_wait_cancellable_(&word, 0, FW_FUTEX_ANY_BIT, FW_FUTEX_PRIVATE, NULL,
                                           clean, &cleaned);
    __atomic_store_n(&s->done, true, __ATOMIC_RELEASE);
    return NULL;
}

static void start(struct sleeper *s)
{
    *s = (struct sleeper){.result = -1};
    assert_int_equal(pthread_create(&s->thread, NULL, sleeps, s), 0);
    await_asleep(getpid(), &s->tid, &s->done);
}

static void assert_cancelled(pthread_t thread)
{
    void *ended;

    assert_int_equal(pthread_join(thread, &ended), 0);
    assert_ptr_equal(ended, PTHREAD_CANCELED);
    assert_int_equal(cleaned, 1);
}

TEST(a_wake_returns_as_ever)
{
    struct sleeper s;

    start(&s);
    while (fw_futex_wake(&word, 1, FW_FUTEX_PRIVATE) == 0)
        sched_yield();
    assert_int_equal(sleeper_join(&s), 0);
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
    struct sleeper s;

    start(&s);
    assert_int_equal(pthread_cancel(s.thread), 0);
    assert_cancelled(s.thread);
    assert_int_equal(s.result, -1);
}

static void *passes_a_point(void *go)
{
    int old;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    while (__atomic_load_n((int *)go, __ATOMIC_ACQUIRE) == 0)
        sched_yield();
    pthread_setcancelstate(old, NULL);
    fw_cancel_point_(clean, &cleaned);
    return NULL;
}

TEST(a_request_that_is_pending_is_honoured)
{
    pthread_t thread;
    int go = 0;

    assert_int_equal(pthread_create(&thread, NULL, passes_a_point, &go), 0);
    assert_int_equal(pthread_cancel(thread), 0);
    __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
    assert_cancelled(thread);
}

UNIT_MAIN(reset, NULL)
