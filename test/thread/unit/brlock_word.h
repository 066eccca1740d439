/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_BRLOCK_WORD_H
#define FW_TEST_BRLOCK_WORD_H

#include <stdlib.h>

#include <furwock/brlock.h>

#include "fake_percpu.h"
#include "thread/brlock_lines.h"
#include "words.h"

/* What the tests of fw_brlock under the fake kernel share. */

static fw_brlock lock;

static uint32_t stripe(unsigned i)
{
    return lock.lines_->stripe[i].word;
}

static uint32_t counter(unsigned i)
{
    return *counter_at(&lock, i);
}

/* A lock with that many counters (0: with stripes), on a machine of four CPUs; it is new. */
static int begin_new(uint32_t counters)
{
    fake_reset();
    fake_percpu = (struct fake_percpu){.cpus = 4, .counters = counters};
    return fw_brlock_init(&lock);
}

/* The same, and enough readers have come for the next ones to use the counters. */
static int begin_with(uint32_t counters)
{
    int error = begin_new(counters);

    lock.owner_ = 0;
    return error;
}

static inline int begin(void)
{
    return begin_with(4);
}

static inline void end(void)
{
    free(lock.lines_);
    lock.lines_ = NULL;
}

/* A test of a new lock with counters; one with stripes; one without and with. */
#define NEW(name)                 \
    static void new_##name(void); \
    TEST(name)                    \
    {                             \
        end();                    \
        begin_new(4);             \
        new_##name();             \
    }                             \
    static void new_##name(void)
#define STRIPED(name)                      \
    static void with_stripes_##name(void); \
    TEST(name)                             \
    {                                      \
        end();                             \
        begin_new(0);                      \
        with_stripes_##name();             \
    }                                      \
    static void with_stripes_##name(void)
#define BOTH(name)                \
    static void any_##name(void); \
    TEST(name)                    \
    {                             \
        any_##name();             \
    }                             \
    STRIPED(striped_##name)       \
    {                             \
        any_##name();             \
    }                             \
    static void any_##name(void)

/* Nothing is left of what a test did: the lock is free, and nobody is counted. */
static inline void check_at_rest(void)
{
    uint32_t sum = 0;

    assert_false(brlock_is_closed(lock.owner_));
    for (unsigned i = 0; i < lock.counters_; i++) {
        assert_true(counter(i) == 0 || lock.owner_ == 0);
        sum += counter(i) * BRLOCK_READER;
    }
    for (unsigned i = 0; i < lock.lines_->stripes; i++) {
        assert_int_equal(stripe(i) & BRLOCK_CLOSED, 0);
        sum += stripe(i);
    }
    assert_int_equal(sum, 0);
    assert_int_equal(lock.lines_->kept, 0);
    assert_int_equal(fw_mutex_owner(&lock.lines_->writers), 0);
}

#endif
