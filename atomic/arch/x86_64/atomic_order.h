/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_ORDER_H
#define FW_ATOMIC_ORDER_H

/*
 * What a sequentially consistent operation on a guarded object needs besides the lock.  On x86-64
 * nothing: the release of the lock is a locked instruction, so that a store is visible everywhere
 * before the call returns, and loads are not reordered with loads.
 */
static inline void fw_order_before_(int order)
{
    (void)order;
}

static inline void fw_order_after_(int order)
{
    (void)order;
}

#endif
