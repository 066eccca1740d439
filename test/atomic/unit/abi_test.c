/* SPDX-License-Identifier: MIT */
#include "atomic_pair.h"
#include "object.h"
#include "stripes.h"
#include "test/atomic/abi/operation.h"
#include "test/atomic/abi/sequential.h"

/*
 * atomic/abi_flag.c, atomic/abi_generic.c, atomic/abi_pair.c, atomic/abi_sized.c, atomic/copy.c.
 *
 * Every call of the ABI at every size and offset: what it does is what C calculates
 * (operation.h), nothing around the object or the result changes, and the protocol is the one that
 * the object is meant to have.  A locked write is one in the sequence of the object's stripe, a
 * lock-free one is none.
 */
enum {
    EACH = 70,
    LONGEST = 2 * FW_OBJECT_PEEK_ + 9,
    OFFSETS = 32,
    AROUND = 16,
    PAIR = N_SIZED - 1
};
enum { ALL = AROUND + OFFSETS + LONGEST + AROUND };

/* Where 16 bytes are always locked, there is neither. */
extern unsigned fw_pair_features_ __attribute__((weak));
extern unsigned fw_pair_ask_(void) __attribute__((weak));

static _Alignas(32) unsigned char memory[ALL], model[ALL];
static unsigned char in[LONGEST + 1], other[LONGEST + 1];
static unsigned char out[LONGEST + 1], out_model[LONGEST + 1];

/* The promise of abi_generic.c: which objects are handled without a lock. */
static bool is_lock_free(size_t at, size_t n)
{
    return at % 8 + n <= 8 || (at % 16 + n <= 16 && fw_pair_is_here_());
}

static void fill(unsigned seed)
{
    for (unsigned i = 0; i < ALL; i++)
        memory[i] = model[i] = (unsigned char)(seed + i * 37 + (i >> 3));
    for (unsigned i = 0; i < sizeof in; i++) {
        in[i] = (unsigned char)~(seed + i * 11);
        other[i] = (unsigned char)(seed + i * 13 + 7);
    }
    memset(out, 0xee, sizeof out);
    memset(out_model, 0xee, sizeof out_model);
}

/* One call on the object there; what it takes is in `from`, which may be `out` itself. */
static void call(struct operation o, size_t at, const unsigned char *from)
{
    const struct fw_stripe_ *stripe = fw_stripe_of_(memory + at);
    uint64_t before = stripe->sequence;
    bool answer = imitate(&o, model + at, from == out ? out_model : from, out_model);
    bool writes = o.kind != LOAD && (o.kind != COMPARE_EXCHANGE || answer) && o.n > 0;

    assert_int_equal(perform(&o, &linked_abi, memory + at, from, out), answer);
    assert_memory_equal(memory, model, ALL);
    assert_memory_equal(out, out_model, sizeof out);
    if (o.kind == SET || is_lock_free(at, o.n))
        writes = false;
    assert_int_equal(stripe->sequence, before + (writes ? 2 : 0));
    assert_int_equal(stripe->lock.word, 0);
}

static void expect(const void *bytes, size_t n)
{
    memcpy(out, bytes, n);
    memcpy(out_model, bytes, n);
}

/* A comparison that fails for each bit of the object, or for one bit of each of its bytes. */
static void fail_to_compare(struct operation o, size_t at, size_t step)
{
    o.kind = COMPARE_EXCHANGE;
    o.failure = __ATOMIC_ACQUIRE;
    for (size_t bit = 0; bit < 8 * o.n; bit += step) {
        expect(model + at, o.n);
        out[bit / 8] ^= (unsigned char)(1 << bit % 8);
        out_model[bit / 8] = out[bit / 8];
        call(o, at, in);
    }
}

/* The calls that there are for any size as well as for some. */
static void each_general_call(const struct abi_sized *sized, size_t n, size_t at, int order)
{
    struct operation o = {.sized = sized, .n = n, .order = order};

    for (o.kind = LOAD; o.kind <= STORE; o.kind++)
        call(o, at, in);
    o.kind = EXCHANGE;
    call(o, at, other);
    call(o, at, out); /* what goes in and what comes out, in one place */
    o.kind = COMPARE_EXCHANGE;
    expect(model + at, n);
    call(o, at, other);
    fail_to_compare(o, at, 9);
}

/*
 * A signal handler that stores while a thread, alone, is at it waits as it would among others.  The
 * first test: whoever has seen other threads once goes another way from then on.
 */
TEST(alone_it_leaves_the_same_marks)
{
    static const size_t sizes[] = {3, 17, 20, 24, 30, 32, 40, 48, 100, 2 * FW_OBJECT_PEEK_};

    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        fresh_stripes();
        set_multithreaded(false);
        fill(i);
        each_general_call(NULL, sizes[i], AROUND, __ATOMIC_SEQ_CST);
        assert_int_equal(fake.n_calls, 0);
    }
}

static const int orders[] = {__ATOMIC_RELAXED, __ATOMIC_CONSUME, __ATOMIC_ACQUIRE,
                             __ATOMIC_RELEASE, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST};
enum { HINTED = 2 * sizeof orders / sizeof *orders };

/* Hints of lock elision, in the upper half, are no order. */
static int order_of(unsigned i)
{
    return orders[i / 2 % (HINTED / 2)] | (int)(i % 2) << 16;
}

/* No promise is made of what compilers do not know to be lock-free: misaligned objects. */
static bool is_said_to_be(size_t at, size_t n)
{
    bool is_power = n != 0 && (n & (n - 1)) == 0;

    return n != 0 && (!is_power || at % n == 0) && is_lock_free(at, n);
}

/* At each offset with one of the orders; aligned, with all. */
static void at_each_offset(size_t n, unsigned offsets)
{
    for (unsigned offset = 0; offset < offsets; offset++) {
        size_t at = AROUND + offset;

        fresh_stripes();
        fill((unsigned)n + offset);
        assert_int_equal(linked_abi.is_lock_free(n, memory + at), is_said_to_be(at, n));
        for (unsigned i = 0; i < (offset == 0 ? HINTED : 1); i++)
            each_general_call(NULL, n, at, order_of(offset + i));
        assert_true(stripes_written() <= 1);
        assert_int_equal(fake.n_calls, 0);
    }
}

TEST(every_size_at_every_offset)
{
    static const size_t large[] = {100, 2 * FW_OBJECT_PEEK_, LONGEST};

    for (size_t n = 0; n <= EACH; n++)
        at_each_offset(n, OFFSETS);
    for (unsigned i = 0; i < sizeof large / sizeof *large; i++)
        at_each_offset(large[i], 9);
}

/* An address of 0 stands for one that is well aligned, if the size tells what that is. */
TEST(lock_free_sizes)
{
    for (size_t n = 1; n <= 64; n++) {
        bool is_power = (n & (n - 1)) == 0;
        bool fits = n <= 8 || (n == 16 && fw_pair_is_here_());
        assert_int_equal(linked_abi.is_lock_free(n, NULL), is_power && fits);
    }
    for (size_t offset = 0; offset < 16; offset++) /* no sum may come round */
        for (size_t less = 0; less < 64; less++)
            assert_false(linked_abi.is_lock_free(SIZE_MAX - less, memory + offset));
}

static void set_value(size_t at, size_t n, const uint64_t *value)
{
    memcpy(memory + at, value, n);
    memcpy(model + at, value, n);
}

/* Every call for one size, with values that carry, or not. */
static void each_sized_call(const struct abi_sized *sized, size_t at)
{
    static const uint64_t values[][4] = {
        {0, 0, 1},
        {0x0123456789abcdef, 0xfedcba98, 0x2222, 0x1111},
        {0xfedcba9876543210, 1, 0x123456789abcdef1, 1},
        {1, 0, UINT64_MAX, 7},
        {UINT64_MAX, UINT64_MAX, 1},
        {UINT64_MAX, 0, 3},
    };
    static const uint64_t no_flag[2];
    struct operation o = {.sized = sized, .n = sized->size, .order = __ATOMIC_SEQ_CST};

    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        memcpy(in, &values[i][2], o.n);
        set_value(at, o.n, values[i]);
        each_general_call(sized, o.n, at, order_of(i));
        for (unsigned k = 0; k < 2 * N_MODIFY; k++) {
            o.kind = k % 2 == 0 ? FETCH_MODIFY : MODIFY_FETCH;
            o.modify = (enum modify)(k / 2);
            set_value(at, o.n, values[i]);
            call(o, at, in);
        }
    }
    fail_to_compare(o, at, 1);
    o.kind = SET;
    set_value(at, o.n, no_flag);
    call(o, at, in);
    call(o, at, in);
}

/* Also where a program misplaces them. */
static void each_sized_call_at_every_offset(const struct abi_sized *sized)
{
    for (size_t offset = 0; offset < OFFSETS; offset++) {
        fresh_stripes();
        fill((unsigned)offset);
        each_sized_call(sized, AROUND + offset);
        assert_true(stripes_written() <= 1);
        assert_int_equal(fake.n_calls, 0);
    }
}

TEST(every_call_for_a_size_at_every_offset)
{
    for (unsigned i = 0; i < N_SIZED; i++)
        each_sized_call_at_every_offset(&linked_abi.sized[i]);
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
        each_sized_call_at_every_offset(&linked_abi.sized[PAIR]);
        for (size_t n = 9; n <= 16; n++)
            at_each_offset(n, OFFSETS);
    }
    fw_pair_features_ = 0; /* asks again */
    each_sized_call_at_every_offset(&linked_abi.sized[PAIR]);
    assert_int_not_equal(fw_pair_features_, 0);
}

TEST(flags_fences_and_exceptions)
{
    assert_true(answers_are_right(&linked_abi));
}

UNIT_MAIN(NULL, NULL)
