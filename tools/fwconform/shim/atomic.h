/* SPDX-License-Identifier: MIT */
#ifndef FW_CONFORM_ATOMIC_H
#define FW_CONFORM_ATOMIC_H

/* The names that tests use. */
#define atomic_load_relaxed(at) __atomic_load_n(at, __ATOMIC_RELAXED)
#define atomic_store_relaxed(at, value) __atomic_store_n(at, value, __ATOMIC_RELAXED)

#endif
