/* SPDX-License-Identifier: MIT */
#include "object.h"
#include "stripes.h"

/* atomic/object.c over the fake kernel, with the stripes of a process as guards. */

#define HELD FW_WORD_LOCK_HELD_

enum { SIZE = 48, LARGE = 2 * FW_OBJECT_PEEK_ };

static const int orders[] = {__ATOMIC_RELAXED, __ATOMIC_CONSUME, __ATOMIC_ACQUIRE,
                             __ATOMIC_RELEASE, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST};
enum { ORDERS = sizeof orders / sizeof *orders };

static _Alignas(8) unsigned char object[LARGE], value[LARGE], other[LARGE], out[LARGE];
static struct fw_stripe_ *stripe;

static int reset(void **state)
{
    fresh_stripes(state);
    for (unsigned i = 0; i < LARGE; i++) {
        object[i] = (unsigned char)i;
        value[i] = (unsigned char)(i * 7 + 3);
        other[i] = (unsigned char)(i * 3 + 1);
    }
    memset(out, 0, sizeof out);
    stripe = fw_stripe_of_(object);
    return 0;
}

/* Some sizes have a way of their own. */
static const size_t sizes[] = {3, 17, 20, 24, 30, 32, 40, SIZE, 100, LARGE};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void each_operation_with_each_order(void **state)
{
    for (int i = 0; i < ORDERS * SIZES * 2; i++) {
        size_t n = sizes[i / ORDERS % SIZES];
        int order = orders[i % ORDERS];

        reset(state);
        set_multithreaded(i >= ORDERS * SIZES);
        fw_object_load_(object, out, n, order);
        assert_memory_equal(out, object, n);
        assert_int_equal(stripe->sequence, 0);
        fw_object_store_(object, value, n, order);
        assert_memory_equal(object, value, n);
        assert_int_equal(stripe->sequence, 2);
        fw_object_exchange_(object, other, out, n, order);
        assert_memory_equal(object, other, n);
        assert_memory_equal(out, value, n);
        assert_int_equal(stripe->sequence, 4);
        memcpy(out, other, n);
        assert_true(fw_object_compare_exchange_(object, out, value, n, order, __ATOMIC_RELAXED));
        assert_memory_equal(object, value, n);
        assert_memory_equal(out, other, n);
        assert_int_equal(stripe->sequence, 6);
        assert_int_equal(stripes_written(), 1);
        assert_int_equal(fake.n_calls, 0);
        for (size_t k = n; k < LARGE; k++)
            assert_int_equal(object[k], (unsigned char)k);
    }
}

static void a_comparison_that_fails_tells_what_is_there(void **state)
{
    for (int i = 0; i < SIZES; i++) {
        for (size_t at = 0; at < sizes[i]; at++) {
            reset(state);
            memcpy(out, object, sizes[i]);
            out[at] ^= 0x80;
            assert_false(fw_object_compare_exchange_(object, out, value, sizes[i], __ATOMIC_SEQ_CST,
                                                     __ATOMIC_SEQ_CST));
            assert_memory_equal(out, object, sizes[i]);
            assert_int_equal(object[at], (unsigned char)at);
            assert_int_equal(stripe->sequence, 0);
        }
    }
}

/* Up to a size, it needs no lock: here somebody holds it, and nobody gives it back. */
static void a_comparison_that_fails_needs_no_lock(void **state)
{
    (void)state;
    stripe->lock.word = HELD;
    memcpy(out, value, FW_OBJECT_PEEK_);
    assert_false(fw_object_compare_exchange_(object, out, other, FW_OBJECT_PEEK_, __ATOMIC_SEQ_CST,
                                             __ATOMIC_SEQ_CST));
    assert_memory_equal(out, object, FW_OBJECT_PEEK_);
    assert_int_equal(stripe->lock.word, HELD);
    assert_int_equal(fake.n_calls, 0);
}

static void loads_write_nothing(void **state)
{
    (void)state;
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

static void a_load_waits_for_a_writer(void **state)
{
    (void)state;
    stripe->lock.word = HELD;
    stripe->sequence = 5;
    fake.on_poll = writer_ends_at_the_third_look;
    fw_object_load_(object, out, SIZE, __ATOMIC_ACQUIRE);
    assert_memory_equal(out, value, SIZE);
    assert_int_equal(fake.pauses, 3);
    assert_int_equal(stripe->lock.word, HELD);
    assert_int_equal(fake.n_calls, 0);
}

static void a_load_that_always_meets_a_writer_takes_the_lock(void **state)
{
    (void)state;
    stripe->sequence = 1;
    fw_object_load_(object, out, SIZE, __ATOMIC_ACQUIRE);
    assert_memory_equal(out, object, SIZE);
    assert_int_equal(fake.pauses, FW_OBJECT_LOOKS_ - 1);
    assert_int_equal(stripe->lock.word, 0);
    assert_int_equal(stripe->sequence, 1); /* a load is no write */
}

static int writer_ends(struct fake_call *call)
{
    assert_ptr_equal(call->word, &stripe->lock.word);
    memcpy(object, value, SIZE);
    stripe->sequence++;
    fw_word_lock_unlock_(&stripe->lock);
    return FAKE_COMPARE;
}

static void a_load_sleeps_behind_a_writer_that_has_stopped(void **state)
{
    (void)state;
    stripe->lock.word = HELD;
    stripe->sequence = 1;
    fake.on_sleep = writer_ends;
    fw_object_load_(object, out, SIZE, __ATOMIC_ACQUIRE);
    assert_memory_equal(out, value, SIZE);
    assert_int_equal(fake.waits, 1);
    assert_int_equal(stripe->lock.word, 0);
    assert_int_equal(stripe->sequence, 2);
}

static void what_goes_in_and_comes_out_may_be_one_place(void **state)
{
    unsigned char was[SIZE];

    (void)state;
    memcpy(was, object, SIZE);
    memcpy(out, value, SIZE);
    fw_object_exchange_(object, out, out, SIZE, __ATOMIC_ACQ_REL);
    assert_memory_equal(object, value, SIZE);
    assert_memory_equal(out, was, SIZE);
}

static size_t size;

static int somebody_has_written(struct fake_call *call)
{
    (void)call;
    memcpy(object, value, size);
    stripe->sequence++;
    fw_word_lock_unlock_(&stripe->lock);
    return FAKE_COMPARE;
}

static void meet_a_writer(void **state)
{
    reset(state);
    stripe->lock.word = HELD;
    stripe->sequence = 1;
    fake.on_sleep = somebody_has_written;
}

/* The object changes while an operation waits: what it finds then is what counts. */
static void operations_meet_a_writer(void **state)
{
    for (int i = 0; i < SIZES; i++) {
        size = sizes[i];
        meet_a_writer(state);
        fw_object_exchange_(object, other, out, size, __ATOMIC_SEQ_CST);
        assert_memory_equal(object, other, size);
        assert_memory_equal(out, value, size);
        assert_int_equal(stripe->sequence, 4);
        assert_int_equal(fake.waits, 1);

        meet_a_writer(state);
        fw_object_store_(object, other, size, __ATOMIC_RELEASE);
        assert_memory_equal(object, other, size);
        assert_int_equal(stripe->sequence, 4);

        meet_a_writer(state);
        memcpy(out, value, size);
        assert_true(fw_object_compare_exchange_(object, out, other, size, __ATOMIC_SEQ_CST,
                                                __ATOMIC_SEQ_CST));
        assert_memory_equal(object, other, size);
        assert_int_equal(stripe->sequence, 4);

        meet_a_writer(state);
        memcpy(out, object, size);
        assert_false(fw_object_compare_exchange_(object, out, other, size, __ATOMIC_SEQ_CST,
                                                 __ATOMIC_SEQ_CST));
        assert_memory_equal(object, value, size);
        assert_memory_equal(out, value, size);
        assert_int_equal(stripe->sequence, 2);
        assert_int_equal(stripe->lock.word, 0);
    }
}

/* Who gives back a stripe that others wait for wakes one of them. */
static void wake_comes(struct fake_call *call)
{
    assert_ptr_equal(call->word, &stripe->lock.word);
    assert_memory_equal(object, value, size);
}

static void writers_wake_those_who_sleep(void **state)
{
    for (int i = 0; i < SIZES; i++) {
        size = sizes[i];
        reset(state);
        stripe->lock.word = 1;
        fake.on_wake = wake_comes;
        fw_object_store_(object, value, size, __ATOMIC_RELAXED);
        assert_true(fake.wakes > 0);
    }
}

/* A signal handler that stores while a thread, alone, is at it waits as it would among others. */
static void alone_it_leaves_the_same_marks(void **state)
{
    (void)state;
    set_multithreaded(false);
    fw_object_store_(object, value, SIZE, __ATOMIC_SEQ_CST);
    assert_memory_equal(object, value, SIZE);
    assert_int_equal(stripe->sequence, 2);
    assert_int_equal(stripes_written(), 1);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_operation_with_each_order, reset),
        cmocka_unit_test_setup(a_comparison_that_fails_tells_what_is_there, reset),
        cmocka_unit_test_setup(a_comparison_that_fails_needs_no_lock, reset),
        cmocka_unit_test_setup(loads_write_nothing, reset),
        cmocka_unit_test_setup(a_load_waits_for_a_writer, reset),
        cmocka_unit_test_setup(a_load_that_always_meets_a_writer_takes_the_lock, reset),
        cmocka_unit_test_setup(a_load_sleeps_behind_a_writer_that_has_stopped, reset),
        cmocka_unit_test_setup(what_goes_in_and_comes_out_may_be_one_place, reset),
        cmocka_unit_test(operations_meet_a_writer),
        cmocka_unit_test(writers_wake_those_who_sleep),
        cmocka_unit_test_setup(alone_it_leaves_the_same_marks, reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
