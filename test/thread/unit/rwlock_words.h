/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_RWLOCK_WORDS_H
#define FW_TEST_RWLOCK_WORDS_H

#include <furwock/rwlock.h>

#include "thread/rwlock_queue.h"
#include "thread/rwlock_word.h"
#include "words.h"

/* How the read-write lock's tests write words down: BY(OWNER) | WRITER, READERS(2) | WAITERS ... */
#define BY(tid) ((uint64_t)FAKE_ID(tid) << RW_OWNER_SHIFT)
#define MINE BY(FAKE_SELF)
#define WRITER RW_WRITER
#define UPGRADABLE RW_UPGRADABLE
#define READERS(n) ((n)*RW_READER)
#define CLOSED RW_CLOSED
#define WAITERS RW_WAITERS
#define WAKING RW_WAKING

/* The read-write lock of these tests. */
static fw_rwlock l;

static inline int reset_rwlock(void)
{
    fake_reset();
    return fw_rwlock_init(&l, FW_RWLOCK_FAIR);
}

static inline void assert_at_rest(uint64_t word)
{
    assert_word(&l, word);
    assert_int_equal(l.queue_, FW_RWLOCK_FAIR);
}

#endif
