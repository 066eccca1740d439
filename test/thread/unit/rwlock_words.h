/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_RWLOCK_WORDS_H
#define FW_TEST_RWLOCK_WORDS_H

#include <inttypes.h>
#include <string.h>

#include <furwock/rwlock.h>

#include "fake.h"
#include "test/support/unit.h"
#include "thread/rwlock_word.h"

/* How the read-write lock's tests write words down: BY(OWNER) | WRITER, READERS(2) | WAITERS ... */
#define BY(tid) ((uint64_t)FAKE_ID(tid) << RW_OWNER_SHIFT)
#define MINE BY(FAKE_SELF)
#define WRITER RW_WRITER
#define UPGRADABLE RW_UPGRADABLE
#define READERS(n) ((n)*RW_READER)
#define CLOSED RW_CLOSED
#define WAITERS RW_WAITERS
#define WAKING RW_WAKING

enum { OWNER = 200, OTHER = 300, THIRD = 400 };

static const fw_wait_policy block = {FW_WAIT_BLOCK, 0};

/* The words as a failed assertion shows them are hexadecimal, so that the fields can be read. */
#define assert_word(l, expected)                                                              \
    do {                                                                                      \
        uint64_t is_ = __atomic_load_n(&(l)->state_, __ATOMIC_RELAXED), wanted_ = (expected); \
        if (is_ != wanted_)                                                                   \
            fail_msg("the word is %016" PRIx64 ", not %016" PRIx64, is_, wanted_);            \
    } while (0)

/* Runs a statement as another thread. */
#define AS(tid, statement)               \
    do {                                 \
        uint32_t before_ = fake_as(tid); \
        statement;                       \
        fake_as(before_ >> FW_ID_SHIFT); \
    } while (0)

#endif
