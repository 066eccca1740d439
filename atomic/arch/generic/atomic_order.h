/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_ORDER_H
#define FW_ATOMIC_ORDER_H

#include <furwock/bits/atomic.h>

/*
 * What a sequentially consistent operation on a guarded object needs besides the lock, by the
 * memory model of C11: a fence before it, and one after it if it may have written.
 */
static inline void fw_order_before_(int order)
{
    if (order == __ATOMIC_SEQ_CST)
        fw_fence_seq_cst();
}

static inline void fw_order_after_(int order)
{
    fw_order_before_(order);
}

#endif
