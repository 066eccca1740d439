/* SPDX-License-Identifier: MIT */
#include <fenv.h>

#include "abi.h"

/* atomic/abi_flag.c. */

ABI(void, atomic_thread_fence, (int order));
ABI(void, atomic_signal_fence, (int order));
ABI(bool, atomic_flag_test_and_set, (volatile void *flag));
ABI(bool, atomic_flag_test_and_set_explicit, (volatile void *flag, int order));
ABI(void, atomic_flag_clear, (volatile void *flag));
ABI(void, atomic_flag_clear_explicit, (volatile void *flag, int order));
ABI(void, __atomic_feraiseexcept, (int excepts));

static const int orders[] = {__ATOMIC_RELAXED, __ATOMIC_CONSUME, __ATOMIC_ACQUIRE,
                             __ATOMIC_RELEASE, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST};
enum { ORDERS = sizeof orders / sizeof *orders };

static void flags(void **state)
{
    unsigned char flag[3] = {0xa5, 0, 0xa5};

    (void)state;
    for (int i = 0; i < ORDERS; i++) {
        assert_false(abi_atomic_flag_test_and_set(flag + 1));
        assert_true(abi_atomic_flag_test_and_set(flag + 1));
        assert_true(abi_atomic_flag_test_and_set_explicit(flag + 1, orders[i]));
        abi_atomic_flag_clear_explicit(flag + 1, orders[i]);
        assert_int_equal(flag[1], 0);
        assert_false(abi_atomic_flag_test_and_set_explicit(flag + 1, orders[i]));
        assert_int_equal(flag[1], 1); /* as compilers have it that set flags without a call */
        abi_atomic_flag_clear(flag + 1);
        assert_int_equal(flag[1], 0);
        assert_int_equal(flag[0] + flag[2], 2 * 0xa5);
    }
}

/* What they order is for the litmus tests; here: they return. */
static void fences(void **state)
{
    (void)state;
    for (int i = 0; i < ORDERS; i++) {
        abi_atomic_thread_fence(orders[i]);
        abi_atomic_signal_fence(orders[i]);
    }
}

static void exceptions_are_raised(void **state)
{
    static const int all[] = {FE_INVALID, FE_DIVBYZERO, FE_OVERFLOW, FE_UNDERFLOW, FE_INEXACT};
    const int with_inexact = FE_OVERFLOW | FE_UNDERFLOW; /* these bring it along */

    (void)state;
    for (unsigned set = 0; set < 32; set++) {
        int wanted = 0, may = 0;

        for (unsigned i = 0; i < 5; i++)
            if ((set >> i & 1) != 0)
                wanted |= all[i];
        may = wanted | ((wanted & with_inexact) != 0 ? FE_INEXACT : 0);
        feclearexcept(FE_ALL_EXCEPT);
        abi___atomic_feraiseexcept(wanted);
        int raised = fetestexcept(FE_ALL_EXCEPT);
        assert_int_equal(raised & wanted, wanted);
        assert_int_equal(raised & ~may, 0);
    }
    feclearexcept(FE_ALL_EXCEPT);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags),
        cmocka_unit_test(fences),
        cmocka_unit_test(exceptions_are_raised),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
