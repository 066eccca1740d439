/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_PERMITS_WORDS_H
#define FW_TEST_PERMITS_WORDS_H

#include <errno.h>
#include <inttypes.h>

#include "fake.h"
#include "test/support/unit.h"
#include "thread/permits.h"
#include "thread/permits_word.h"

/* How the tests write words down: 2 | WAITERS(3) | WAKING(1), and so on. */
#define WAITERS(n) ((uint64_t)(n)*PERMITS_WAITER)
#define WAKING(n) ((uint64_t)(n) << PERMITS_WAKING_SHIFT)
#define GENERATION(n) ((uint64_t)(n) << PERMITS_GENERATION_SHIFT)
#define RESERVED PERMITS_RESERVED
#define RECHECKING PERMITS_RECHECKING

#define STARVATION_NS 500000

static const fw_wait_policy block = {FW_WAIT_BLOCK, 0};

/* An object with permits: the word, and what lies behind it. */
struct supply {
    uint64_t state_;
    uint32_t between, guess, spin, behind;
};

_Static_assert(offsetof(struct supply, guess) == PERMITS_GUESS_AT, "as in the objects");
_Static_assert(offsetof(struct supply, spin) == PERMITS_SPIN_AT, "as in the objects");

static inline const uint32_t *value_word(const void *object)
{
    return object;
}

static inline const uint32_t *sleepers_word(const void *object)
{
    return (const uint32_t *)object + 1;
}

/* The words as a failed assertion shows them are hexadecimal, so that the fields can be read. */
#define assert_word(object, expected)                                              \
    do {                                                                           \
        uint64_t is_ = __atomic_load_n(&(object)->state_, __ATOMIC_RELAXED);       \
        uint64_t wanted_ = (expected);                                             \
        if (is_ != wanted_)                                                        \
            fail_msg("the word is %016" PRIx64 ", not %016" PRIx64, is_, wanted_); \
    } while (0)

/* The nth wake woke n on that word. */
static inline void assert_wake(unsigned nth, const uint32_t *word, unsigned n)
{
    const struct fake_call *wake = fake_nth(FAKE_WAKE, nth);

    assert_non_null(wake);
    assert_ptr_equal(wake->word, word);
    assert_int_equal(wake->n, n);
    assert_int_equal(wake->flags, FW_FUTEX_PRIVATE);
}

#endif
