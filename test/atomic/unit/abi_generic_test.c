/* SPDX-License-Identifier: MIT */
#include "abi.h"

/* atomic/abi_generic.c: every size at every offset, by the protocol that it is meant to have. */

enum { LONGEST = 40, OFFSETS = 32, AROUND = 16, ALL = AROUND + OFFSETS + LONGEST + AROUND };

static _Alignas(32) unsigned char memory[ALL], before[ALL];
static unsigned char value[LONGEST], out[LONGEST + 1];

static int reset(void **state)
{
    fresh_stripes(state);
    for (unsigned i = 0; i < ALL; i++)
        memory[i] = before[i] = (unsigned char)(i * 37 + 5);
    for (unsigned i = 0; i < LONGEST; i++)
        value[i] = (unsigned char)~(i * 11);
    memset(out, 0xee, sizeof out);
    return 0;
}

/* Object and result are as they should be, and what lies around them is as it was. */
static void check(const unsigned char *object, size_t n, const void *now, const void *result,
                  bool is_write)
{
    size_t at = (size_t)(object - memory);

    assert_memory_equal(object, now, n);
    assert_memory_equal(memory, before, at);
    assert_memory_equal(object + n, before + at + n, ALL - at - n);
    assert_memory_equal(out, result, n);
    assert_int_equal(out[n], 0xee);
    assert_int_equal(stripes_written(), is_write && n > 0 && !is_lock_free(object, n));
    assert_int_equal(fake.n_calls, 0);
}

static void each_call(unsigned char *object, size_t n, int order)
{
    const unsigned char *was = before + (object - memory);

    reset(NULL);
    abi___atomic_load(n, object, out, order);
    check(object, n, was, was, false);

    reset(NULL);
    memcpy(out, value, n);
    abi___atomic_store(n, object, out, order);
    check(object, n, value, value, true);

    reset(NULL);
    abi___atomic_exchange(n, object, value, out, order);
    check(object, n, value, was, true);

    reset(NULL);
    memcpy(out, was, n);
    assert_true(abi___atomic_compare_exchange(n, object, out, value, order, __ATOMIC_RELAXED));
    check(object, n, value, was, true);
}

static void a_comparison_that_fails(unsigned char *object, size_t n, size_t at)
{
    const unsigned char *was = before + (object - memory);

    reset(NULL);
    memcpy(out, was, n);
    out[at] ^= 0x10;
    assert_false(
        abi___atomic_compare_exchange(n, object, out, value, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE));
    check(object, n, was, was, false);
}

/* No promise is made of what compilers do not know to be lock-free: misaligned objects. */
static bool is_said_to_be(const void *object, size_t n)
{
    bool is_power = n != 0 && (n & (n - 1)) == 0;

    return n != 0 && (!is_power || (uintptr_t)object % n == 0) && is_lock_free(object, n);
}

static void every_size_at_every_offset(void **state)
{
    (void)state;
    for (size_t n = 0; n <= LONGEST; n++) {
        for (size_t offset = 0; offset < OFFSETS; offset++) {
            unsigned char *object = memory + AROUND + offset;
            each_call(object, n, offset % 2 == 0 ? __ATOMIC_SEQ_CST : __ATOMIC_RELAXED);
            for (size_t at = 0; at<n; at += n> 1 ? n - 1 : 1)
                a_comparison_that_fails(object, n, at);
            assert_int_equal(abi___atomic_is_lock_free(n, object), is_said_to_be(object, n));
        }
    }
}

/* Hints of lock elision, in the upper half, are no order. */
static void orders_with_hints(void **state)
{
    static const int orders[] = {__ATOMIC_RELAXED, __ATOMIC_CONSUME, __ATOMIC_ACQUIRE,
                                 __ATOMIC_RELEASE, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST};
    static const size_t sizes[] = {3, 8, 12, 16, 17, 40};

    (void)state;
    for (unsigned i = 0; i < sizeof orders / sizeof *orders; i++)
        for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++)
            for (int hint = 0; hint <= 1; hint++)
                each_call(memory + AROUND, sizes[k], orders[i] | hint << 16);
}

/* An address of 0 stands for one that is well aligned, if the size tells what that is. */
static void lock_free_sizes(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 64; n++) {
        bool is_power = (n & (n - 1)) == 0;
        bool fits = n <= 8 || (n == 16 && fw_pair_is_here_());
        assert_int_equal(abi___atomic_is_lock_free(n, NULL), is_power && fits);
    }
    for (size_t offset = 0; offset < 16; offset++) /* no sum may come round */
        for (size_t less = 0; less < 64; less++)
            assert_false(abi___atomic_is_lock_free(SIZE_MAX - less, memory + offset));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_at_every_offset),
        cmocka_unit_test(orders_with_hints),
        cmocka_unit_test(lock_free_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
