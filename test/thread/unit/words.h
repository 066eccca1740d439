/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_WORDS_H
#define FW_TEST_WORDS_H

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <furwock/futex.h>
#include <furwock/wait.h>

#include "fake.h"
#include "test/support/unit.h"

/* What the tests of locks under the fake kernel share. */

/* Other threads of the tests. */
enum { OWNER = 200, OTHER = 300, THIRD = 400 };

static const fw_wait_policy block = {FW_WAIT_BLOCK, 0};

/* Runs statements as another thread. */
#define AS(tid, ...)                     \
    do {                                 \
        uint32_t before_ = fake_as(tid); \
        __VA_ARGS__;                     \
        fake_as(before_ >> FW_ID_SHIFT); \
    } while (0)

/* A hook that runs while a thread is about to sleep, or sleeps: then the kernel compares. */
#define MEANWHILE(name, ...)                  \
    static int name(struct fake_call *asleep) \
    {                                         \
        (void)asleep;                         \
        __VA_ARGS__;                          \
        return FAKE_COMPARE;                  \
    }

/* The words as a failed assertion shows them are hexadecimal, so that the fields can be read. */
#define assert_word(object, expected)                                              \
    do {                                                                           \
        uint64_t is_ = __atomic_load_n(&(object)->state_, __ATOMIC_RELAXED);       \
        uint64_t wanted_ = (expected);                                             \
        if (is_ != wanted_)                                                        \
            fail_msg("the word is %016" PRIx64 ", not %016" PRIx64, is_, wanted_); \
    } while (0)

/* The two futex words of an object. */
static inline const uint32_t *lower_half(const void *object)
{
    return object;
}

static inline const uint32_t *upper_half(const void *object)
{
    return (const uint32_t *)object + 1;
}

/* The nth wake woke n on that word. */
static inline void assert_wake(unsigned nth, const uint32_t *word, unsigned n)
{
    const struct fake_call *wake = fake_nth(FAKE_WAKE, nth);

    assert_non_null(wake);
    assert_ptr_equal(wake->word, word);
    assert_int_equal(wake->n, n);
    assert_int_equal(wake->flags, FW_FUTEX_PRIVATE);
}

/* Misuse by the test's own thread stopped the program: what it said, of which lock and owner. */
static inline void assert_misuse(const char *what, const void *lock, uint32_t owner)
{
    assert_string_equal(fake.panic_what, what);
    assert_ptr_equal(fake.panic_lock, lock);
    assert_int_equal(fake.panic_caller, FAKE_ID(FAKE_SELF));
    assert_int_equal(fake.panic_owner, owner);
}

/* That statement does; the word is still to be seen. */
#define EXPECT_MISUSE(object, statement, what, owner) \
    do {                                              \
        uint64_t word_ = (object)->state_;            \
        FAKE_EXPECT_PANIC(statement);                 \
        assert_misuse(what, object, owner);           \
        assert_word(object, word_);                   \
    } while (0)

#endif
