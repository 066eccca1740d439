/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_MUTEX_WORDS_H
#define FW_TEST_MUTEX_WORDS_H

#include <inttypes.h>

#include <furwock/mutex.h>

#include "fake.h"
#include "test/support/unit.h"
#include "thread/mutex_word.h"

/* How the mutex tests write words down: HELD(tid) | FENCED | WAITERS(2), and so on. */
#define HELD(tid) ((uint64_t)FAKE_ID(tid))
#define MINE HELD(FAKE_SELF)
#define UNSIGNED UINT64_C(1)
#define HANDOFF(serial) ((uint64_t)(MUTEX_HANDOFF | (serial) << FW_ID_SHIFT | FW_ID_HELD))
#define FENCED MUTEX_FENCED
#define WAKING MUTEX_WAKING
#define RETRY MUTEX_RETRY
#define STARVING MUTEX_STARVING
#define LATE MUTEX_LATE
#define URGENT MUTEX_URGENT
#define GENERATION(n) ((uint64_t)(n) << MUTEX_GENERATION_SHIFT)
#define WAITERS(n) ((n)*MUTEX_WAITER)

/* Other threads of the tests, and the first serial number that the fake gives. */
enum { OWNER = 200, OTHER = 300, FIRST_SERIAL = 7 };

static const fw_wait_policy block = {FW_WAIT_BLOCK, 0};

/* The two futex words of a mutex. */
static inline const uint32_t *owner_word(const fw_mutex *m)
{
    return (const uint32_t *)(const void *)m;
}

static inline const uint32_t *waiters_word(const fw_mutex *m)
{
    return (const uint32_t *)(const void *)m + 1;
}

/* The words as a failed assertion shows them are hexadecimal, so that the fields can be read. */
#define assert_word(m, expected)                                                              \
    do {                                                                                      \
        uint64_t is_ = __atomic_load_n(&(m)->state_, __ATOMIC_RELAXED), wanted_ = (expected); \
        if (is_ != wanted_)                                                                   \
            fail_msg("the word is %016" PRIx64 ", not %016" PRIx64, is_, wanted_);            \
    } while (0)

static inline int reset_fake(void)
{
    fake_reset();
    return 0;
}

#endif
