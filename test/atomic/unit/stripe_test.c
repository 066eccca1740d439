/* SPDX-License-Identifier: MIT */
#include "stripes.h"

/* atomic/stripe.c and stripe.h: which stripe an object has, and what its holder does. */

#define HELD FW_WORD_LOCK_HELD_

TEST(stripes_do_not_share_cache_lines)
{
    assert_int_equal(sizeof fw_stripes_, FW_STRIPES_ * 64u);
    assert_int_equal((uintptr_t)fw_stripes_ % 64, 0);
    assert_int_equal(offsetof(struct fw_stripe_, lock), 0);
    assert_int_equal(offsetof(struct fw_stripe_, sequence), 8);
}

TEST(an_address_has_one_stripe)
{
    char objects[4096];

    for (size_t i = 0; i < sizeof objects; i++) {
        struct fw_stripe_ *s = fw_stripe_of_(objects + i);
        assert_ptr_equal(s, fw_stripe_of_(objects + i));
        assert_in_range(s - fw_stripes_, 0, FW_STRIPES_ - 1);
    }
}

/* The largest number of objects that share a stripe, of as many as there are stripes. */
static unsigned most_on_a_stripe(uintptr_t first, uintptr_t stride)
{
    static unsigned char on[FW_STRIPES_];
    unsigned most = 0;

    memset(on, 0, sizeof on);
    for (unsigned i = 0; i < FW_STRIPES_; i++) {
        unsigned n = ++on[fw_stripe_index_((const void *)(first + i * stride))];
        most = n > most ? n : most;
    }
    return most;
}

/*
 * Arrays of objects: no stride may fill few stripes.  By chance alone, 1024 objects on 1024 stripes
 * would put 6 or 7 onto the fullest.  At the last stride, a multiplication alone would put 102.
 */
TEST(no_stride_overloads_a_stripe)
{
    static const uintptr_t places[] = {0x555555559000, 0x7f0123456780, 0x7ffe00000010};

    for (unsigned place = 0; place < sizeof places / sizeof *places; place++) {
        for (uintptr_t stride = 24; stride <= 1024; stride += 8)
            assert_true(most_on_a_stripe(places[place], stride) <= 12);
        for (uintptr_t stride = 2048; stride <= 65536; stride *= 2)
            assert_true(most_on_a_stripe(places[place], stride) <= 12);
        assert_true(most_on_a_stripe(places[place], 41216) <= 12);
    }
}

TEST(lock_and_unlock)
{
    struct fw_stripe_ *s = &fw_stripes_[7];

    for (int with = 0; with <= 1; with++) {
        set_multithreaded(with);
        fw_stripe_lock_(s);
        assert_int_equal(s->lock.word, HELD);
        fw_stripe_unlock_(s);
        assert_int_equal(s->lock.word, 0);
    }
    assert_int_equal(fake.n_calls, 0);
}

/* Alone, but not always so: what others have left in the word is respected. */
TEST(alone_with_marks_of_others)
{
    struct fw_stripe_ *s = &fw_stripes_[7];

    set_multithreaded(false);
    s->lock.word = 2;
    fw_stripe_lock_(s);
    assert_int_equal(s->lock.word, HELD | 2);
    fw_stripe_unlock_(s);
    assert_int_equal(s->lock.word, 2);
    assert_true(fake.wakes > 0);
}

TEST(writes_move_the_sequence)
{
    struct fw_stripe_ *s = &fw_stripes_[7];
    uint64_t object[3] = {1, 2, 3};
    const uint64_t value[3] = {4, 5, 6};
    uint64_t old[3];

    assert_int_equal(fw_stripe_begin_(s), 0);
    assert_int_equal(s->sequence, 1);
    fw_stripe_end_(s, 0);
    assert_int_equal(s->sequence, 2);
    fw_stripe_write_(s, object, value, sizeof object);
    assert_int_equal(s->sequence, 4);
    assert_memory_equal(object, value, sizeof object);
    object[1] = 7;
    fw_stripe_swap_(s, object, value, old, sizeof object);
    assert_int_equal(s->sequence, 6);
    assert_memory_equal(object, value, sizeof object);
    assert_int_equal(old[1], 7);
}

UNIT_MAIN(fresh_stripes, NULL)
