/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_H
#define FW_ATOMIC_H /* the guard of furwock/bits/atomic.h: this file stands in for it */

#include <stdbool.h>
#include <stdint.h>

/*
 * The operations of furwock/bits/atomic.h, each one step under the model's scheduler.  Under
 * x86-TSO the memory order of a locked instruction makes no difference; those of plain loads and
 * stores are the hardware's.
 */
typedef uint32_t __attribute__((may_alias)) fw_half_;
typedef uint8_t __attribute__((may_alias)) fw_byte_;

uint64_t subject_load(const void *p, unsigned size);
void subject_store(void *p, unsigned size, uint64_t v);
uint64_t subject_xchg(void *p, unsigned size, uint64_t v);
uint64_t subject_cas(void *p, unsigned size, uint64_t expected, uint64_t v);

#define SUBJECT_ACCESSES(bits, type, access)                              \
    static inline uint##bits##_t fw_load##bits##_relaxed(const access *p) \
    {                                                                     \
        return (uint##bits##_t)subject_load(p, sizeof *p);                \
    }                                                                     \
    static inline void fw_store##bits##_relaxed(access *p, type v)        \
    {                                                                     \
        subject_store(p, sizeof *p, v);                                   \
    }

#define SUBJECT_XCHG(bits, type, access, order)                   \
    static inline type fw_xchg##bits##_##order(access *p, type v) \
    {                                                             \
        return (type)subject_xchg(p, sizeof *p, v);               \
    }

#define SUBJECT_CAS(bits, type, access, order)                                   \
    static inline bool fw_cas##bits##_##order(access *p, type *expected, type v) \
    {                                                                            \
        type seen = (type)subject_cas(p, sizeof *p, *expected, v);               \
        bool done = seen == *expected;                                           \
        *expected = seen;                                                        \
        return done;                                                             \
    }

SUBJECT_ACCESSES(32, uint32_t, fw_half_)
SUBJECT_ACCESSES(64, uint64_t, uint64_t)
SUBJECT_XCHG(8, uint8_t, fw_byte_, acquire)
SUBJECT_CAS(32, uint32_t, fw_half_, acquire)
SUBJECT_CAS(64, uint64_t, uint64_t, relaxed)
SUBJECT_CAS(64, uint64_t, uint64_t, acquire)
SUBJECT_CAS(64, uint64_t, uint64_t, release)

#endif
