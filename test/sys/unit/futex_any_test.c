/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "test/support/sleeper.h"
#include "test/support/unit.h"

/*
 * fw_futex_wait_any of src/sys/futex.c against the real kernel, for several words.  For one:
 * futex_test.c.
 */

/* A thread in fw_futex_wait_any. */
struct any_sleeper {
    const fw_futex_any *words;
    unsigned n;
    int result;
    pid_t tid;
    bool done;
    pthread_t thread;
};

static void *any_body(void *arg)
{
    struct any_sleeper *s = arg;

    __atomic_store_n(&s->tid, gettid(), __ATOMIC_RELEASE);
    s->result = fw_futex_wait_any(s->words, s->n, NULL);
    __atomic_store_n(&s->done, true, __ATOMIC_RELEASE);
    return NULL;
}

static void any_start(struct any_sleeper *s, const fw_futex_any *words, unsigned n)
{
    *s = (struct any_sleeper){.words = words, .n = n};
    assert_int_equal(pthread_create(&s->thread, NULL, any_body, s), 0);
    await_asleep(getpid(), &s->tid, &s->done);
}

/*
 * How many were woken.  The kernel calls a thread asleep before it has queued it at the first word,
 * and queues at one word after the other: who is to be woken may not be at this one yet.
 */
static int any_wake(struct any_sleeper *s, const fw_futex_any *at)
{
    int woken = 0;

    while (woken == 0 && !__atomic_load_n(&s->done, __ATOMIC_ACQUIRE))
        woken = fw_futex_wake(at->word, 1, at->flags);
    return woken;
}

/* Not on a kernel without the call. */
static void need_futex_waitv(void)
{
    uint32_t word = 1;
    fw_futex_any any = {&word, 0, FW_FUTEX_PRIVATE};

    if (fw_futex_wait_any(&any, 1, NULL) == -ENOSYS)
        skip();
}

TEST(answers_the_index)
{
    uint32_t words[3] = {1, 2, 3};
    fw_futex_any any[3];
    struct any_sleeper s;

    need_futex_waitv();
    for (unsigned i = 0; i < 3; i++)
        any[i] = (fw_futex_any){&words[i], words[i],
                                i == 1 ? (unsigned)FW_FUTEX_SHARED : (unsigned)FW_FUTEX_PRIVATE};
    for (int i = 0; i < 3; i++) {
        any_start(&s, any, 3);
        assert_int_equal(any_wake(&s, &any[i]), 1);
        pthread_join(s.thread, NULL);
        assert_int_equal(s.result, i);
    }
}

TEST(takes_as_many_as_it_says)
{
    uint32_t words[FW_FUTEX_WAIT_ANY_MAX] = {0};
    fw_futex_any any[FW_FUTEX_WAIT_ANY_MAX + 1];
    struct any_sleeper s;

    need_futex_waitv();
    for (unsigned i = 0; i < FW_FUTEX_WAIT_ANY_MAX; i++)
        any[i] = (fw_futex_any){&words[i], 0, FW_FUTEX_PRIVATE};
    any[FW_FUTEX_WAIT_ANY_MAX] = any[0];
    any_start(&s, any, FW_FUTEX_WAIT_ANY_MAX);
    assert_int_equal(any_wake(&s, &any[FW_FUTEX_WAIT_ANY_MAX - 1]), 1);
    pthread_join(s.thread, NULL);
    assert_int_equal(s.result, FW_FUTEX_WAIT_ANY_MAX - 1);
    assert_int_equal(fw_futex_wait_any(any, FW_FUTEX_WAIT_ANY_MAX + 1, NULL), -EINVAL);
    assert_int_equal(fw_futex_wait_any(any, 0, NULL), -EINVAL);
}

static void nothing(int signal)
{
    (void)signal;
}

TEST(ends_by_a_signal)
{
    struct sigaction action = {.sa_handler = nothing}, before;
    uint32_t word = 0;
    fw_futex_any any = {&word, 0, FW_FUTEX_PRIVATE};
    struct any_sleeper s;

    need_futex_waitv();
    sigaction(SIGUSR1, &action, &before);
    any_start(&s, &any, 1);
    pthread_kill(s.thread, SIGUSR1);
    pthread_join(s.thread, NULL);
    assert_int_equal(s.result, -EINTR);
    sigaction(SIGUSR1, &before, NULL);
}

UNIT_MAIN(NULL, NULL)
