/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_ABI_H
#define FW_ATOMIC_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The functions that compilers call, under names of our own: the compilers know the real ones as
 * built-ins and refuse other declarations of them.  FW_ABI(type, name, parameters) is the head of
 * a function that programs know as `name`.
 *
 * Origin: GCC's manual, "Built-in Functions for Memory Model Aware Atomic Operations"; the GCC
 * wiki, "Atomic/GCCMM/LIbrary"; LLVM's "Atomic Instructions and Concurrency Guide", "Libcalls:
 * __atomic_*".
 */
#define FW_ABI(type, name, parameters)                                                   \
    type fw_abi_##name parameters __asm__(#name) __attribute__((visibility("default"))); \
    type fw_abi_##name parameters

/* Such an order may carry hints of lock elision above its 16 bits. */
#define FW_ABI_ORDER_MASK 0xffff

/* Does a store with this order have to be visible to all before what comes after it? */
static inline bool fw_abi_is_weak_store_(int order)
{
    order &= FW_ABI_ORDER_MASK;
    return order == __ATOMIC_RELAXED || order == __ATOMIC_RELEASE;
}

static inline bool fw_abi_is_aligned_(const volatile void *object, size_t n)
{
    return ((uintptr_t)object & (n - 1)) == 0;
}

/* For objects of any size at any address: abi_generic.c. */
void fw_generic_load_(size_t n, const void *object, void *out, int order);
void fw_generic_store_(size_t n, void *object, const void *value, int order);
void fw_generic_exchange_(size_t n, void *object, const void *value, void *out, int order);
bool fw_generic_compare_exchange_(size_t n, void *object, void *expected, const void *value,
                                  int order, int failure);

#endif
