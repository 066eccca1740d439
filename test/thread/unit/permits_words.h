/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_PERMITS_WORDS_H
#define FW_TEST_PERMITS_WORDS_H

#include "thread/permits.h"
#include "thread/permits_word.h"
#include "words.h"

/* How the tests write words down: 2 | WAITERS(3) | WAKING(1), and so on. */
#define WAITERS(n) ((uint64_t)(n)*PERMITS_WAITER)
#define WAKING(n) ((uint64_t)(n) << PERMITS_WAKING_SHIFT)
#define RESERVED PERMITS_RESERVED
#define RECHECKING PERMITS_RECHECKING

#define STARVATION_NS 500000

/* An object with permits: the word, and what lies behind it. */
static struct supply {
    uint64_t state_;
    uint32_t between, guess, spin, behind;
} supply;

_Static_assert(offsetof(struct supply, guess) == PERMITS_GUESS_AT, "as in the objects");
_Static_assert(offsetof(struct supply, spin) == PERMITS_SPIN_AT, "as in the objects");

static inline int reset_supply(void)
{
    memset(&supply, 0, sizeof supply);
    fake_reset();
    return 0;
}

static inline void post(uint32_t n)
{
    assert_true(fw_permits_post_(&supply.state_, n, PERMITS_VALUE_MAX));
}

/* A runner takes a permit. */
static inline void steal(void)
{
    assert_true(fw_permits_take_(&supply.state_));
}

static inline int wait_blocking(const fw_deadline *deadline)
{
    return fw_permits_wait_(&supply.state_, &block, deadline);
}

#endif
