/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include <furwock/ipc/sem.h>

#include "ipc/announce.h"
#include "victim.h"

/* src/ipc/sem.c, with the real kernel; the victims are forked children. */

static fw_ipc_sem *s;

static int make(void)
{
    need_robust_lists();
    fixture = fixture_make(8);
    s = fixture_object(&fixture, 0);
    return 0;
}

TEST(is_made_once)
{
    assert_int_equal(fw_ipc_sem_init(s, 0, 0), EINVAL);
    assert_int_equal(fw_ipc_sem_init(s, 5, 4), EINVAL);
    assert_int_equal(fw_ipc_sem_init(s, 0, FW_IPC_SEM_MAX + 1), EINVAL);
    assert_int_equal(fw_ipc_sem_init(s, 2, 3), 0);
    assert_int_equal(fw_ipc_sem_trywait(s), 0);
    assert_int_equal(fw_ipc_sem_init(s, 2, 3), 0);
    assert_int_equal(fw_ipc_sem_value(s), 1);
    assert_int_equal(fw_ipc_sem_init(s, 2, 4), EEXIST);
    assert_int_equal(fw_ipc_sem_post_n(s, 3), EOVERFLOW);
    assert_int_equal(fw_ipc_sem_post_n(s, 2), 0);
    assert_int_equal(fw_ipc_sem_post(s), EOVERFLOW);
    assert_int_equal(fw_ipc_sem_value(s), 3);
}

/* The maker died after it had stored the maximum. */
TEST(is_made_to_the_end)
{
    fw_ipc_sem whole;

    assert_int_equal(fw_ipc_sem_init(s, 2, 3), 0);
    whole = *s;
    s->word_ = 0;
    assert_int_equal(fw_ipc_sem_init(s, 2, 3), 0);
    assert_int_equal(s->made_, whole.made_);
    assert_int_equal(fw_ipc_sem_value(s), 2);
}

TEST(says_what_is_wrong)
{
    static fw_ipc_sem elsewhere;
    fw_deadline never = {.clock = -1};
    static const fw_wait_policy nonsense = {.kind = (fw_wait_kind)77};

    assert_int_equal(fw_ipc_sem_wait(&elsewhere), EINVAL);
    assert_int_equal(fw_ipc_sem_post((fw_ipc_sem *)((char *)s + 4)), EINVAL);
    assert_int_equal(fw_ipc_sem_trywait((fw_ipc_sem *)((char *)s + 4)), EINVAL);
    assert_int_equal(fw_ipc_sem_init((fw_ipc_sem *)((char *)s + 4), 0, 1), EINVAL);
    assert_int_equal(fw_ipc_sem_timedwait(s, &never), EINVAL);
    assert_int_equal(fw_ipc_sem_wait_policy(s, &nonsense, NULL), EINVAL);
    assert_int_equal(fw_ipc_sem_init(s, 0, 3), 0);
    s->word_ |= 4; /* more than there can be */
    assert_int_equal(fw_ipc_sem_post(s), EUCLEAN);
    assert_int_equal(fw_ipc_sem_trywait(s), EUCLEAN);
    assert_int_equal(fw_ipc_sem_wait(s), EUCLEAN);
    assert_int_equal(fw_ipc_sem_value(s), 4);
    s->word_ = 1;
    assert_int_equal(fw_ipc_sem_init(s, 3, 3), EUCLEAN);
}

/* A waiter that announces itself between another's wake and its clearing is not overlooked. */
TEST(clears_only_what_it_saw)
{
    uint64_t seen = FW_IPC_WAITERS, word = fw_ipc_changed_(seen);

    fw_ipc_wake_announced_(&word, seen, 1);
    assert_true(fw_ipc_has_waiters_(word));
    fw_ipc_wake_announced_(&word, word, 1);
    assert_false(fw_ipc_has_waiters_(word));
    word = UINT64_MAX;
    assert_int_equal(fw_ipc_changed_(word), UINT64_C(0x80000000ffffffff));
}

UNIT_MAIN(make, fixture_end)
