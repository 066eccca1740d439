/* SPDX-License-Identifier: MIT */
#include "sequential.h"

#include <fenv.h>
#include <stdint.h>
#include <stdio.h>

#define EXPECT(what)                                                           \
    do {                                                                       \
        if (!(what)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
            return false;                                                      \
        }                                                                      \
    } while (0)

static bool flags_are_right(const struct abi *abi)
{
    unsigned char flag[3] = {7, 0, 7};

    EXPECT(!abi->flag_test_and_set(&flag[1]) && flag[1] != 0);
    EXPECT(abi->flag_test_and_set(&flag[1]) && flag[1] != 0);
    abi->flag_clear(&flag[1]);
    EXPECT(flag[1] == 0);
    for (int order = __ATOMIC_RELAXED; order <= __ATOMIC_SEQ_CST; order++) {
        EXPECT(!abi->flag_test_and_set_explicit(&flag[1], order) && flag[1] == 1);
        EXPECT(abi->flag_test_and_set_explicit(&flag[1], order) && flag[1] == 1);
        abi->flag_clear_explicit(&flag[1], order);
        EXPECT(flag[1] == 0);
        abi->thread_fence(order);
        abi->signal_fence(order);
    }
    EXPECT(flag[0] == 7 && flag[2] == 7);
    return true;
}

static bool exceptions_are_right(const struct abi *abi)
{
    static const int each[] = {FE_INVALID, FE_DIVBYZERO, FE_OVERFLOW, FE_UNDERFLOW, FE_INEXACT};
    fenv_t before;

    fegetenv(&before);
    for (unsigned set = 0; set < 32; set++) {
        int raised = 0;

        for (unsigned i = 0; i < 5; i++)
            raised |= set & (1U << i) ? each[i] : 0;
        feclearexcept(FE_ALL_EXCEPT);
        abi->raise_exceptions(raised);
        /* Overflow and underflow may bring inexact along: C11 7.6.2.3. */
        EXPECT((fetestexcept(FE_ALL_EXCEPT) & ~FE_INEXACT) == (raised & ~FE_INEXACT));
        EXPECT((raised & FE_INEXACT) == 0 || fetestexcept(FE_INEXACT) != 0);
        EXPECT((raised & (FE_OVERFLOW | FE_UNDERFLOW)) != 0 ||
               fetestexcept(FE_INEXACT) == (raised & FE_INEXACT));
        abi->raise_exceptions(0); /* takes nothing away */
        EXPECT((fetestexcept(FE_ALL_EXCEPT) & raised) == raised);
    }
    fesetenv(&before);
    return true;
}

/* The compilers ask about NULL where they mean an object of the usual alignment; libstdc++ asks
 * about an address that has exactly the alignment that it means, minus that. */
static bool lock_free_is_right(const struct abi *abi)
{
    static const unsigned char bytes[64] __attribute__((aligned(64)));

    for (size_t n = 1; n <= 8; n *= 2) {
        EXPECT(abi->is_lock_free(n, NULL));
        EXPECT(abi->is_lock_free(n, (const void *)-(uintptr_t)n));
        for (size_t at = 0; at < 32; at += n)
            EXPECT(abi->is_lock_free(n, bytes + at));
    }
    for (size_t n = 17; n < 8192; n += n / 2) {
        EXPECT(!abi->is_lock_free(n, NULL));
        EXPECT(!abi->is_lock_free(n, bytes));
        EXPECT(!abi->is_lock_free(n, (const void *)-(uintptr_t)64));
    }
    for (size_t at = 0; at < 16; at++)
        EXPECT(!abi->is_lock_free(SIZE_MAX, bytes + at));
    /* What is said of an alignment holds for every object that has it, or a greater one. */
    for (size_t n = 1; n <= 16; n++) {
        for (size_t alignment = 1; alignment <= 16; alignment *= 2) {
            if (!abi->is_lock_free(n, (const void *)-(uintptr_t)alignment))
                continue;
            for (size_t at = 0; at < 32; at += alignment)
                EXPECT(abi->is_lock_free(n, bytes + at));
        }
    }
    return true;
}

bool answers_are_right(const struct abi *abi)
{
    return flags_are_right(abi) && exceptions_are_right(abi) && lock_free_is_right(abi);
}
