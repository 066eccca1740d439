/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_H
#define FW_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Every atomic operation that a lock uses on its words; internal.  The memory order is in the name;
 * a compare-and-swap that fails is relaxed, stores what it saw in *expected, and is never spurious.
 * The model checker replaces this file by one that runs the same operations under its scheduler.
 */

/* A half, or a byte, of a wider word: such accesses overlap the wider ones on purpose. */
typedef uint32_t __attribute__((may_alias)) fw_half_;
typedef uint8_t __attribute__((may_alias)) fw_byte_;

static inline uint32_t fw_load32_relaxed(const fw_half_ *p)
{
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static inline uint64_t fw_load64_relaxed(const uint64_t *p)
{
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static inline void fw_store32_relaxed(fw_half_ *p, uint32_t v)
{
    __atomic_store_n(p, v, __ATOMIC_RELAXED);
}

static inline void fw_store64_relaxed(uint64_t *p, uint64_t v)
{
    __atomic_store_n(p, v, __ATOMIC_RELAXED);
}

static inline uint8_t fw_xchg8_acquire(fw_byte_ *p, uint8_t v)
{
    return __atomic_exchange_n(p, v, __ATOMIC_ACQUIRE);
}

static inline bool fw_cas32_acquire(fw_half_ *p, uint32_t *expected, uint32_t v)
{
    return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline bool fw_cas64_relaxed(uint64_t *p, uint64_t *expected, uint64_t v)
{
    return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static inline bool fw_cas64_acquire(uint64_t *p, uint64_t *expected, uint64_t v)
{
    return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline bool fw_cas64_release(uint64_t *p, uint64_t *expected, uint64_t v)
{
    return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

#endif
