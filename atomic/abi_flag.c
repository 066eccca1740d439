/* SPDX-License-Identifier: MIT */
/*
 * Flags and fences as functions (C11, 7.17.4 and 7.17.8), and the exceptions that a compound
 * assignment to an atomic floating-point object has to raise once it has succeeded.
 */
#include <fenv.h>
#include <float.h>

#include "abi.h"

FW_ABI(void, atomic_thread_fence, (int order))
{
    if ((order & FW_ABI_ORDER_MASK) == __ATOMIC_SEQ_CST)
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    else if (order != __ATOMIC_RELAXED)
        __atomic_thread_fence(__ATOMIC_ACQ_REL);
}

FW_ABI(void, atomic_signal_fence, (int order))
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

FW_ABI(bool, atomic_flag_test_and_set_explicit, (volatile void *flag, int order))
{
    (void)order;
    return __atomic_exchange_n((volatile uint8_t *)flag, 1, __ATOMIC_SEQ_CST) != 0;
}

FW_ABI(bool, atomic_flag_test_and_set, (volatile void *flag))
{
    return fw_abi_atomic_flag_test_and_set_explicit(flag, __ATOMIC_SEQ_CST);
}

FW_ABI(void, atomic_flag_clear_explicit, (volatile void *flag, int order))
{
    if (fw_abi_is_weak_store_(order))
        __atomic_store_n((volatile uint8_t *)flag, 0, __ATOMIC_RELEASE);
    else
        __atomic_store_n((volatile uint8_t *)flag, 0, __ATOMIC_SEQ_CST);
}

FW_ABI(void, atomic_flag_clear, (volatile void *flag))
{
    fw_abi_atomic_flag_clear_explicit(flag, __ATOMIC_SEQ_CST);
}

/* By calculating something that raises it, so that it also traps where it is told to. */
FW_ABI(void, __atomic_feraiseexcept, (int excepts))
{
    volatile float zero = 0, one = 1, three = 3, least = FLT_MIN, most = FLT_MAX, result;

    if ((excepts & FE_INVALID) != 0)
        result = zero / zero;
    if ((excepts & FE_DIVBYZERO) != 0)
        result = one / zero;
    if ((excepts & FE_OVERFLOW) != 0)
        result = most * most;
    if ((excepts & FE_UNDERFLOW) != 0)
        result = least * least;
    if ((excepts & FE_INEXACT) != 0)
        result = one / three;
    (void)result;
}
