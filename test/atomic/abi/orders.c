/* SPDX-License-Identifier: MIT */
#include "orders.h"

enum { ELISION_ACQUIRE = 1 << 16, ELISION_RELEASE = 1 << 17 }; /* gcc's, on x86 */

int random_order(struct rng *random, enum order_use use)
{
    static const int loads[] = {__ATOMIC_RELAXED, __ATOMIC_CONSUME, __ATOMIC_ACQUIRE,
                                __ATOMIC_SEQ_CST};
    static const int stores[] = {__ATOMIC_RELAXED, __ATOMIC_RELEASE, __ATOMIC_SEQ_CST};
    static const int all[] = {__ATOMIC_RELAXED, __ATOMIC_CONSUME, __ATOMIC_ACQUIRE,
                              __ATOMIC_RELEASE, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST};
    uint32_t whim = rng_below(random, 16);
    int any = all[rng_below(random, 6)];

    if (whim == 0)
        return any | (rng_below(random, 2) ? ELISION_ACQUIRE : ELISION_RELEASE);
    if (whim == 1 || use == ORDER_MODIFY)
        return any;
    if (use == ORDER_LOAD)
        return loads[rng_below(random, 4)];
    return stores[rng_below(random, 3)];
}
