/* SPDX-License-Identifier: MIT */
#include "object.h"
#include "stripes.h"

/*
 * atomic/object.c over the fake kernel: what a load and a failing comparison do without the lock,
 * and how long they try.  What the operations do among others is for the model.
 */

#define HELD FW_WORD_LOCK_HELD_

enum { SIZE = 48 };

static _Alignas(8) unsigned char object[FW_OBJECT_PEEK_], value[FW_OBJECT_PEEK_];
static unsigned char out[FW_OBJECT_PEEK_];
static struct fw_stripe_ *stripe;

static int reset(void)
{
    fresh_stripes();
    for (unsigned i = 0; i < sizeof object; i++) {
        object[i] = (unsigned char)i;
        value[i] = (unsigned char)(i * 7 + 3);
    }
    memset(out, 0, sizeof out);
    stripe = fw_stripe_of_(object);
    return 0;
}

/* Up to a size, it needs no lock: here somebody holds it, and nobody gives it back. */
TEST(a_comparison_that_fails_needs_no_lock)
{
    stripe->lock.word = HELD;
    memcpy(out, value, sizeof out);
    assert_false(fw_object_compare_exchange_(object, out, value, sizeof out, __ATOMIC_SEQ_CST,
                                             __ATOMIC_SEQ_CST));
    assert_memory_equal(out, object, sizeof out);
    assert_int_equal(stripe->lock.word, HELD);
    assert_int_equal(fake.n_calls, 0);
}

TEST(loads_write_nothing)
{
    stripe->lock.word = HELD | 3; /* held, but its holder does not write now */
    stripe->sequence = 8;
    fw_object_load_(object, out, SIZE, __ATOMIC_SEQ_CST);
    assert_memory_equal(out, object, SIZE);
    assert_int_equal(stripe->lock.word, HELD | 3);
    assert_int_equal(stripe->sequence, 8);
    assert_int_equal(fake.n_calls, 0);
    assert_int_equal(fake.pauses, 0);
}

static void writer_ends_at_the_third_look(void)
{
    if (fake.pauses == 3) {
        memcpy(object, value, SIZE);
        stripe->sequence++;
    }
}

TEST(a_load_waits_for_a_writer)
{
    stripe->lock.word = HELD;
    stripe->sequence = 5;
    fake.on_poll = writer_ends_at_the_third_look;
    fw_object_load_(object, out, SIZE, __ATOMIC_ACQUIRE);
    assert_memory_equal(out, value, SIZE);
    assert_int_equal(fake.pauses, 3);
    assert_int_equal(stripe->lock.word, HELD);
    assert_int_equal(fake.n_calls, 0);
}

TEST(a_load_that_always_meets_a_writer_takes_the_lock)
{
    stripe->sequence = 1;
    fw_object_load_(object, out, SIZE, __ATOMIC_ACQUIRE);
    assert_memory_equal(out, object, SIZE);
    assert_int_equal(fake.pauses, FW_OBJECT_LOOKS_ - 1);
    assert_int_equal(stripe->lock.word, 0);
    assert_int_equal(stripe->sequence, 1); /* a load is no write */
}

UNIT_MAIN(reset, NULL)
