/* SPDX-License-Identifier: MIT */
#include "abi.h"

/*
 * atomic/abi_pair.c, and the instructions for 16 bytes of this architecture: with each set of
 * features that the processor has, and without any.
 */

/* Where 16 bytes are always locked, there is neither. */
extern unsigned fw_pair_features_ __attribute__((weak));
extern unsigned fw_pair_ask_(void) __attribute__((weak));

enum { OFFSETS = 32, AROUND = 16 };

static _Alignas(32) unsigned char memory[AROUND + OFFSETS + 16 + AROUND];

DEFINE_CHECK_SIZED(fw_pair_, 16)

static fw_pair_ pair(uint64_t high, uint64_t low)
{
    return (fw_pair_)high << 64 | low;
}

static void at_every_offset(void **state)
{
    const fw_pair_ starts[] = {0, pair(0xfedcba98, 0x0123456789abcdef), pair(1, 0), pair(0, 1),
                               ~(fw_pair_)0};
    const fw_pair_ operands[] = {1, pair(0x1111, 0x2222), pair(1, 1), pair(7, UINT64_MAX), 1};

    for (size_t offset = AROUND; offset < AROUND + OFFSETS; offset++) {
        for (unsigned i = 0; i < sizeof starts / sizeof *starts; i++) {
            fresh_stripes(state);
            memset(memory, 0xa5, sizeof memory);
            check_sized_16(memory + offset, starts[i], operands[i]);
            for (size_t k = 0; k < sizeof memory; k++)
                if (k < offset || k >= offset + 16)
                    assert_int_equal(memory[k], 0xa5);
        }
    }
}

/* Of the values that differ in one half, or a bit, only the right one is taken for it. */
static void comparisons_see_both_halves(void)
{
    static _Alignas(16) fw_pair_ object;

    for (unsigned bit = 0; bit < 128; bit++) {
        fw_pair_ is = pair(0x0f1e2d3c4b5a6978, 0x8796a5b4c3d2e1f0),
                 expected = is ^ (fw_pair_)1 << bit;

        object = is;
        assert_false(fw_pair_cas_(&object, &expected, 5));
        assert_true(expected == is && object == is);
        assert_true(fw_pair_cas_(&object, &expected, (fw_pair_)1 << bit));
        assert_true(expected == is && object == (fw_pair_)1 << bit);
        assert_true(fw_pair_load_(&object) == (fw_pair_)1 << bit);
        fw_pair_store_(&object, is, bit % 2 == 0 ? __ATOMIC_RELEASE : __ATOMIC_SEQ_CST);
        assert_true(fw_pair_load_(&object) == is);
    }
}

static void with_each_set_of_features(void **state)
{
    if (&fw_pair_features_ == NULL)
        skip();
    unsigned all = fw_pair_ask_();

#ifdef FW_PAIR_PLAIN_
    all |= FW_PAIR_PLAIN_; /* every processor has the instruction, if not the guarantee */
#endif
    for (unsigned set = all; set != 0; set = (set - 1) & all) {
        fw_pair_features_ = set;
        at_every_offset(state);
        assert_true(abi___atomic_is_lock_free(4, NULL));
        assert_int_equal(abi___atomic_is_lock_free(16, NULL), fw_pair_is_here_());
        if (fw_pair_is_here_())
            comparisons_see_both_halves();
    }
    fw_pair_features_ = 0; /* asks again */
    at_every_offset(state);
    assert_int_not_equal(fw_pair_features_, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_every_offset),
        cmocka_unit_test(with_each_set_of_features),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
