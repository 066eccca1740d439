/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_MUTEX_WORDS_H
#define FW_TEST_MUTEX_WORDS_H

#include <furwock/mutex.h>

#include "thread/mutex_word.h"
#include "words.h"

/* How the mutex tests write words down: HELD(tid) | FENCED | WAITERS(2), and so on. */
#define HELD(tid) ((uint64_t)FAKE_ID(tid))
#define MINE HELD(FAKE_SELF)
#define UNSIGNED UINT64_C(1)
#define HANDOFF(serial) ((uint64_t)(MUTEX_HANDOFF | (serial) << FW_ID_SHIFT | FW_ID_HELD))
#define FENCED MUTEX_FENCED
#define QUEUED MUTEX_QUEUED
#define WAKING MUTEX_WAKING
#define RETRY MUTEX_RETRY
#define STARVING MUTEX_STARVING
#define LATE MUTEX_LATE
#define URGENT MUTEX_URGENT
#define GENERATION(n) ((uint64_t)(n) << MUTEX_GENERATION_SHIFT)
#define WAITERS(n) ((n)*MUTEX_WAITER)

enum { FIRST_SERIAL = 7 }; /* that the fake gives */

/* The mutex of these tests. */
static fw_mutex m;

static inline int reset_mutex(void)
{
    fw_mutex_init(&m);
    fake_reset();
    return 0;
}

/* The test's own thread takes it, and may sleep. */
static inline int lock_until(const fw_deadline *deadline)
{
    return fw_mutex_lock_policy(&m, &block, deadline);
}

static inline void lock_blocking(void)
{
    assert_int_equal(lock_until(NULL), 0);
}

#endif
