/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_ATOMIC_ORDERS_H
#define FW_TEST_ATOMIC_ORDERS_H

#include "measure/rng.h"

/*
 * Memory orders for an operation: mostly such as C11 allows; otherwise anything that a compiler
 * lets pass, also with the flag for hardware lock elision.
 */
enum order_use { ORDER_LOAD, ORDER_STORE, ORDER_MODIFY };

int random_order(struct rng *random, enum order_use use);

#endif
