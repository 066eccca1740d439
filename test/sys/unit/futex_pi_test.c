/* SPDX-License-Identifier: MIT */
/* sys/futex_pi.h with the real kernel. */
#include "sys/futex_pi.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "test/support/sleeper.h"
#include "test/support/unit.h"

static uint32_t word;

static uint32_t self(void)
{
    return (uint32_t)syscall(SYS_gettid);
}

static void need_inheritance(void)
{
    uint32_t nobodys = 0;

    if (fw_futex_unlock_pi_(&nobodys, FW_FUTEX_PRIVATE) == -ENOSYS)
        skip();
}

TEST(a_free_one_is_taken_and_given_back)
{
    need_inheritance();
    for (unsigned flags = FW_FUTEX_PRIVATE; flags <= FW_FUTEX_SHARED; flags++) {
        word = 0;
        assert_int_equal(fw_futex_lock_pi_(&word, flags, NULL), 0);
        assert_int_equal(word & FUTEX_TID_MASK, self());
        assert_int_equal(fw_futex_lock_pi_(&word, flags, NULL), -EDEADLK);
        assert_int_equal(fw_futex_unlock_pi_(&word, flags), 0);
        assert_int_equal(word, 0);
        assert_int_equal(fw_futex_unlock_pi_(&word, flags), -EPERM);
        assert_int_equal(fw_futex_trylock_pi_(&word, flags), 0);
        assert_int_equal(fw_futex_unlock_pi_(&word, flags), 0);
    }
}

struct other {
    const fw_deadline *deadline;
    int result;
    pid_t tid;
    bool done;
};

static void *ask(void *arg)
{
    struct other *o = arg;

    __atomic_store_n(&o->tid, (pid_t)self(), __ATOMIC_RELEASE);
    o->result = fw_futex_lock_pi_(&word, FW_FUTEX_PRIVATE, o->deadline);
    if (o->result == 0 && fw_futex_unlock_pi_(&word, FW_FUTEX_PRIVATE) != 0)
        o->result = 1;
    __atomic_store_n(&o->done, true, __ATOMIC_RELEASE);
    return NULL;
}

static int result_of_other(const fw_deadline *deadline, bool gives_back)
{
    struct other o = {.deadline = deadline};
    pthread_t t;

    word = self();
    pthread_create(&t, NULL, ask, &o);
    if (gives_back) {
        await_asleep(getpid(), &o.tid, &o.done);
        assert_int_equal(fw_futex_unlock_pi_(&word, FW_FUTEX_PRIVATE), 0);
    }
    pthread_join(t, NULL);
    return o.result;
}

TEST(who_waits_gets_it)
{
    fw_deadline far = deadline_in(CLOCK_MONOTONIC, INT64_C(60000000000));

    need_inheritance();
    assert_int_equal(result_of_other(NULL, true), 0);
    assert_int_equal(result_of_other(&far, true), 0);
    assert_int_equal(word, 0);
}

TEST(deadlines_are_kept_on_both_clocks)
{
    const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME};

    need_inheritance();
    for (int i = 0; i < 2; i++) {
        fw_deadline near = deadline_in(clocks[i], 3000000);
        fw_deadline past = {.clock = clocks[i], .at = {1, 0}};
        assert_int_equal(result_of_other(&near, false), -ETIMEDOUT);
        assert_int_equal(result_of_other(&past, false), -ETIMEDOUT);
    }
}

TEST(nobodys_and_strange_words_are_refused)
{
    need_inheritance();
    word = 0x3ffffff0; /* no such thread */
    assert_int_equal(fw_futex_lock_pi_(&word, FW_FUTEX_PRIVATE, NULL), -ESRCH);
    assert_int_equal(fw_futex_lock_pi_(NULL, FW_FUTEX_PRIVATE, NULL), -EFAULT);
}

UNIT_MAIN(NULL, NULL)
