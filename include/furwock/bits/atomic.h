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

/* Words may be those of any object; halves and bytes overlap wider words on purpose. */
typedef uint64_t __attribute__((may_alias)) fw_word_;
typedef uint32_t __attribute__((may_alias)) fw_half_;
typedef uint8_t __attribute__((may_alias)) fw_byte_;

#define FW_ATOMIC_LOAD_(bits, access, order, ORDER)                       \
    static inline uint##bits##_t fw_load##bits##_##order(const access *p) \
    {                                                                     \
        return __atomic_load_n(p, __ATOMIC_##ORDER);                      \
    }

#define FW_ATOMIC_STORE_(bits, access, order, ORDER)                         \
    static inline void fw_store##bits##_##order(access *p, uint##bits##_t v) \
    {                                                                        \
        __atomic_store_n(p, v, __ATOMIC_##ORDER);                            \
    }

/* Return what was there before. */
#define FW_ATOMIC_MODIFY_(name, call, bits, access, order, ORDER)                       \
    static inline uint##bits##_t fw_##name##bits##_##order(access *p, uint##bits##_t v) \
    {                                                                                   \
        return call(p, v, __ATOMIC_##ORDER);                                            \
    }

#define FW_ATOMIC_CAS_(bits, access, order, ORDER)                                  \
    static inline bool fw_cas##bits##_##order(access *p, uint##bits##_t *expected,  \
                                              uint##bits##_t v)                     \
    {                                                                               \
        return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_##ORDER, \
                                           __ATOMIC_RELAXED);                       \
    }

FW_ATOMIC_LOAD_(8, fw_byte_, relaxed, RELAXED)
FW_ATOMIC_LOAD_(32, fw_half_, relaxed, RELAXED)
FW_ATOMIC_LOAD_(32, fw_half_, acquire, ACQUIRE)
FW_ATOMIC_LOAD_(32, fw_half_, seq_cst, SEQ_CST)
FW_ATOMIC_LOAD_(64, fw_word_, relaxed, RELAXED)
FW_ATOMIC_LOAD_(64, fw_word_, acquire, ACQUIRE)
FW_ATOMIC_LOAD_(64, fw_word_, seq_cst, SEQ_CST)
FW_ATOMIC_STORE_(8, fw_byte_, relaxed, RELAXED)
FW_ATOMIC_STORE_(32, fw_half_, relaxed, RELAXED)
FW_ATOMIC_STORE_(32, fw_half_, release, RELEASE)
FW_ATOMIC_STORE_(64, fw_word_, relaxed, RELAXED)
FW_ATOMIC_STORE_(64, fw_word_, release, RELEASE)

FW_ATOMIC_MODIFY_(xchg, __atomic_exchange_n, 8, fw_byte_, acquire, ACQUIRE)
FW_ATOMIC_MODIFY_(xchg, __atomic_exchange_n, 32, fw_half_, acquire, ACQUIRE)
FW_ATOMIC_MODIFY_(xchg, __atomic_exchange_n, 32, fw_half_, release, RELEASE)
FW_ATOMIC_MODIFY_(xchg, __atomic_exchange_n, 32, fw_half_, seq_cst, SEQ_CST)
FW_ATOMIC_MODIFY_(xchg, __atomic_exchange_n, 64, fw_word_, seq_cst, SEQ_CST)
FW_ATOMIC_MODIFY_(add, __atomic_fetch_add, 32, fw_half_, relaxed, RELAXED)
FW_ATOMIC_MODIFY_(add, __atomic_fetch_add, 32, fw_half_, acquire, ACQUIRE)
FW_ATOMIC_MODIFY_(add, __atomic_fetch_add, 32, fw_half_, release, RELEASE)
FW_ATOMIC_MODIFY_(add, __atomic_fetch_add, 32, fw_half_, acq_rel, ACQ_REL)
FW_ATOMIC_MODIFY_(add, __atomic_fetch_add, 64, fw_word_, acquire, ACQUIRE)
FW_ATOMIC_MODIFY_(add, __atomic_fetch_add, 64, fw_word_, release, RELEASE)
FW_ATOMIC_MODIFY_(add, __atomic_fetch_add, 64, fw_word_, acq_rel, ACQ_REL)
FW_ATOMIC_MODIFY_(and, __atomic_fetch_and, 32, fw_half_, relaxed, RELAXED)
FW_ATOMIC_MODIFY_(and, __atomic_fetch_and, 64, fw_word_, acquire, ACQUIRE)
FW_ATOMIC_MODIFY_(and, __atomic_fetch_and, 64, fw_word_, release, RELEASE)
FW_ATOMIC_MODIFY_(and, __atomic_fetch_and, 64, fw_word_, seq_cst, SEQ_CST)
FW_ATOMIC_MODIFY_(or, __atomic_fetch_or, 32, fw_half_, relaxed, RELAXED)
FW_ATOMIC_MODIFY_(or, __atomic_fetch_or, 64, fw_word_, relaxed, RELAXED)
FW_ATOMIC_MODIFY_(or, __atomic_fetch_or, 64, fw_word_, release, RELEASE)
FW_ATOMIC_MODIFY_(or, __atomic_fetch_or, 64, fw_word_, seq_cst, SEQ_CST)

FW_ATOMIC_CAS_(32, fw_half_, relaxed, RELAXED)
FW_ATOMIC_CAS_(32, fw_half_, acquire, ACQUIRE)
FW_ATOMIC_CAS_(32, fw_half_, release, RELEASE)
FW_ATOMIC_CAS_(32, fw_half_, seq_cst, SEQ_CST)
FW_ATOMIC_CAS_(64, fw_word_, relaxed, RELAXED)
FW_ATOMIC_CAS_(64, fw_word_, acquire, ACQUIRE)
FW_ATOMIC_CAS_(64, fw_word_, release, RELEASE)
FW_ATOMIC_CAS_(64, fw_word_, acq_rel, ACQ_REL)
FW_ATOMIC_CAS_(64, fw_word_, seq_cst, SEQ_CST)

/* What was loaded before comes before what is accessed after. */
static inline void fw_fence_acquire(void)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

/* What was accessed before comes before what is stored after. */
static inline void fw_fence_release(void)
{
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

/* The same for everything, and all such fences have one order. */
static inline void fw_fence_seq_cst(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#undef FW_ATOMIC_LOAD_
#undef FW_ATOMIC_STORE_
#undef FW_ATOMIC_MODIFY_
#undef FW_ATOMIC_CAS_

#endif
