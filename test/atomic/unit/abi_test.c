/* SPDX-License-Identifier: MIT */
#include "atomic_pair.h"
#include "stripes.h"
#include "test/atomic/abi/calls.h"
#include "test/atomic/abi/sequential.h"

/*
 * atomic/abi_flag.c, atomic/abi_generic.c, atomic/abi_pair.c, atomic/abi_sized.c, atomic/copy.c.
 *
 * Every call does what it should (calls.h), and by the protocol that its object is meant to have: a
 * locked write is one in the sequence of the object's stripe, a lock-free one is none.
 */

/* Where 16 bytes are always locked, there is neither. */
extern unsigned fw_pair_features_ __attribute__((weak));
extern unsigned fw_pair_ask_(void) __attribute__((weak));

/* The promise of abi_generic.c: which objects are handled without a lock. */
static bool is_lock_free(const void *object, size_t n)
{
    uintptr_t at = (uintptr_t)object;

    return at % 8 + n <= 8 || (at % 16 + n <= 16 && fw_pair_is_here_());
}

static void check_stripe(const struct operation *o, const unsigned char *object, bool writes)
{
    struct fw_stripe_ *stripe = fw_stripe_of_(object);
    bool locks = writes && o->kind != SET && o->n > 0 && !is_lock_free(object, o->n);

    assert_int_equal(stripe->sequence, locks ? 2 : 0);
    assert_int_equal(stripe->lock.word, 0);
    assert_int_equal(fake.n_calls, 0);
    stripe->sequence = 0;
}

static const struct calls calls = {.abi = &linked_abi, .misplaces = true, .after = check_stripe};

/*
 * A signal handler that stores while a thread, alone, is at it waits as it would among others.  The
 * first test: whoever has seen other threads once goes another way from then on.
 */
TEST(every_call_of_a_thread_that_is_alone)
{
    fresh_stripes();
    set_multithreaded(false);
    assert_true(calls_are_right(&calls));
    assert_int_equal(stripes_written(), 0); /* no other stripe than the object's */
}

TEST(every_call)
{
    fresh_stripes();
    assert_true(calls_are_right(&calls));
    assert_int_equal(stripes_written(), 0);
}

/* No promise is made of what compilers do not know to be lock-free: misaligned objects. */
TEST(lock_free_objects)
{
    static _Alignas(32) const unsigned char memory[64];

    for (size_t n = 0; n <= 40; n++) {
        for (size_t at = 0; at < 32; at++) {
            bool is_power = n != 0 && (n & (n - 1)) == 0, is_aligned = !is_power || at % n == 0;

            assert_int_equal(linked_abi.is_lock_free(n, memory + at),
                             n != 0 && is_aligned && is_lock_free(memory + at, n));
        }
    }
}

/* An address of 0 stands for one that is well aligned, if the size tells what that is. */
TEST(lock_free_sizes)
{
    static const unsigned char memory[16];

    for (size_t n = 1; n <= 64; n++) {
        bool is_power = (n & (n - 1)) == 0;
        bool fits = n <= 8 || (n == 16 && fw_pair_is_here_());
        assert_int_equal(linked_abi.is_lock_free(n, NULL), is_power && fits);
    }
    for (size_t offset = 0; offset < 16; offset++) /* no sum may come round */
        for (size_t less = 0; less < 64; less++)
            assert_false(linked_abi.is_lock_free(SIZE_MAX - less, memory + offset));
}

static void check_pairs(void)
{
    fresh_stripes();
    assert_true(sized_calls_are_right(&calls, &linked_abi.sized[N_SIZED - 1]));
    for (size_t n = 9; n <= 16; n++)
        assert_true(general_calls_are_right(&calls, n));
}

/* The instructions for 16 bytes: with each set of features that the CPU has, and without any. */
TEST(with_each_set_of_features)
{
    if (&fw_pair_features_ == NULL)
        skip();
    unsigned all = fw_pair_ask_();

#ifdef FW_PAIR_PLAIN_
    all |= FW_PAIR_PLAIN_; /* every CPU has the instruction, if not the guarantee */
#endif
    for (unsigned set = all; set != 0; set = (set - 1) & all) {
        fw_pair_features_ = set;
        assert_true(linked_abi.is_lock_free(4, NULL));
        assert_int_equal(linked_abi.is_lock_free(16, NULL), fw_pair_is_here_());
        check_pairs();
    }
    fw_pair_features_ = 0; /* asks again */
    check_pairs();
    assert_int_not_equal(fw_pair_features_, 0);
}

TEST(flags_fences_and_exceptions)
{
    assert_true(answers_are_right(&linked_abi));
}

UNIT_MAIN(NULL, NULL)
