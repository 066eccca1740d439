/* SPDX-License-Identifier: MIT */
#include <furwock/sem.h>

#include "permits_words.h"

/* src/thread/sem.c: what the header promises of one thread, and that a guess is only a guess. */

static fw_sem s;

static int reset(void)
{
    static const fw_sem none;

    s = none;
    fake_reset();
    return 0;
}

TEST(init_checks_its_arguments)
{
    assert_int_equal(fw_sem_init(&s, 0, 0), EINVAL);
    assert_int_equal(fw_sem_init(&s, 2, 1), EINVAL);
    assert_int_equal(fw_sem_init(&s, 0, FW_SEM_MAX + 1), EINVAL);
    assert_int_equal(fw_sem_init(&s, FW_SEM_MAX, FW_SEM_MAX), 0);
    assert_int_equal(fw_sem_value(&s), FW_SEM_MAX);
    assert_int_equal(fw_sem_post(&s), EOVERFLOW);
    assert_int_equal(fw_sem_init(&s, 1, 5), 0);
    assert_int_equal(fw_sem_value(&s), 1);
}

TEST(zero_bytes_are_an_empty_semaphore)
{
    fw_sem three = FW_SEM_INIT(3);

    assert_int_equal(fw_sem_trywait(&s), EAGAIN);
    assert_int_equal(fw_sem_post_n(&s, FW_SEM_MAX), 0);
    assert_int_equal(fw_sem_post(&s), EOVERFLOW);
    assert_int_equal(fw_sem_value(&s), FW_SEM_MAX);
    for (int i = 0; i < 3; i++)
        assert_int_equal(fw_sem_trywait(&three), 0);
    assert_int_equal(fw_sem_trywait(&three), EAGAIN);
}

TEST(a_wrong_guess_is_put_right)
{
    static const uint32_t guesses[] = {0, 1, 4, 6, 77, FW_SEM_MAX, PERMITS_NO_GUESS};

    for (unsigned i = 0; i < 2 * sizeof guesses / sizeof *guesses; i++) {
        assert_int_equal(fw_sem_init(&s, 5, 9), 0);
        s.guess_ = guesses[i / 2];
        if (i % 2 == 0) {
            assert_int_equal(fw_sem_trywait(&s), 0);
            assert_word(&s, 4);
        } else {
            assert_int_equal(fw_sem_post(&s), 0);
            assert_word(&s, 6);
        }
        assert_int_equal(s.guess_, s.state_);
    }
    assert_int_equal(fw_sem_init(&s, 9, 9), 0);
    s.guess_ = 3;
    assert_int_equal(fw_sem_post(&s), EOVERFLOW);
    assert_word(&s, 9);
}

UNIT_MAIN(reset, NULL)
