/* SPDX-License-Identifier: MIT */
#include "inline.h"

#include <stdint.h>
#include <string.h>

#define ADD(type)                                                 \
    do {                                                          \
        type v_;                                                  \
                                                                  \
        memcpy(&v_, operand, sizeof v_);                          \
        __atomic_fetch_add((type *)object, v_, __ATOMIC_RELAXED); \
    } while (0)

#ifdef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_16
__extension__ typedef unsigned __int128 u128;

static bool add_16(u128 *object, const void *operand)
{
    u128 v, seen, before;

    memcpy(&v, operand, sizeof v);
    seen = __sync_val_compare_and_swap(object, 0, 0);
    while ((before = __sync_val_compare_and_swap(object, seen, seen + v)) != seen)
        seen = before;
    return true;
}
#else
static bool add_16(void *object, const void *operand)
{
    (void)object;
    (void)operand;
    return false;
}
#endif

bool inline_add(size_t n, void *object, const void *operand)
{
    if (n == 16)
        return add_16(object, operand);
    if (n == 1)
        ADD(uint8_t);
    else if (n == 2)
        ADD(uint16_t);
    else if (n == 4)
        ADD(uint32_t);
    else
        ADD(uint64_t);
    return true;
}
