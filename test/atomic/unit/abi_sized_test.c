/* SPDX-License-Identifier: MIT */
#include "abi.h"

/* atomic/abi_sized.c: the calls for 1, 2, 4 and 8 bytes, also where a program misplaces them. */

enum { OFFSETS = 32, AROUND = 16 };

static _Alignas(32) unsigned char memory[AROUND + OFFSETS + 8 + AROUND];

DEFINE_CHECK_SIZED(uint8_t, 1)
DEFINE_CHECK_SIZED(uint16_t, 2)
DEFINE_CHECK_SIZED(uint32_t, 4)
DEFINE_CHECK_SIZED(uint64_t, 8)

static void check_around(size_t at, size_t n)
{
    for (size_t i = 0; i < sizeof memory; i++)
        if (i < at || i >= at + n)
            assert_int_equal(memory[i], 0xa5);
}

#define CHECK_PLACES(type, N)                                                              \
    static void size_##N(void **state)                                                     \
    {                                                                                      \
        for (size_t offset = AROUND; offset < AROUND + OFFSETS; offset++) {                \
            for (unsigned i = 0; i < 4; i++) {                                             \
                static const uint64_t starts[] = {0, 0xfedcba9876543210, 1, UINT64_MAX};   \
                static const uint64_t operands[] = {1, 0x123456789abcdef1, UINT64_MAX, 3}; \
                fresh_stripes(state);                                                      \
                memset(memory, 0xa5, sizeof memory);                                       \
                check_sized_##N(memory + offset, (type)starts[i], (type)operands[i]);      \
                check_around(offset, N);                                                   \
            }                                                                              \
        }                                                                                  \
    }

CHECK_PLACES(uint8_t, 1)
CHECK_PLACES(uint16_t, 2)
CHECK_PLACES(uint32_t, 4)
CHECK_PLACES(uint64_t, 8)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(size_1),
        cmocka_unit_test(size_2),
        cmocka_unit_test(size_4),
        cmocka_unit_test(size_8),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
