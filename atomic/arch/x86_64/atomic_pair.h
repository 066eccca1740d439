/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_PAIR_H
#define FW_ATOMIC_PAIR_H

#include <emmintrin.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * 16 bytes at an address that is a multiple of 16, by one instruction.  All orders: each operation
 * is sequentially consistent, but a store that is told otherwise.
 *
 * cmpxchg16b is all but universal.  A load by it writes; but CPUs with AVX of Intel, AMD and
 * Zhaoxin guarantee that aligned 16-byte vector loads and stores are atomic (Intel SDM 3A, 9.1.1;
 * AMD APM 2, 7.3.2), and mix with cmpxchg16b.
 */
__extension__ typedef unsigned __int128 fw_pair_;

#define FW_PAIR_CAS_ 1u     /* cmpxchg16b is here */
#define FW_PAIR_VECTOR_ 2u  /* vector loads and stores are atomic */
#define FW_PAIR_ASKED_ 4u   /* the CPU was asked */
#define FW_PAIR_WATCHED_ 8u /* ThreadSanitizer wants to be told: nothing is quick */

extern unsigned fw_pair_features_ __attribute__((visibility("hidden")));
unsigned fw_pair_ask_(void); /* asks it; what was found */

static inline unsigned fw_pair_features(void)
{
    unsigned f = __atomic_load_n(&fw_pair_features_, __ATOMIC_RELAXED);
    return __builtin_expect(f != 0, 1) ? f : fw_pair_ask_();
}

static inline bool fw_pair_is_here_(void)
{
    return (fw_pair_features() & FW_PAIR_CAS_) != 0;
}

/* Is all of it here, and known to be?  Then what is called quick will do.  Asks nobody. */
static inline bool fw_pair_is_quick_(void)
{
    return __builtin_expect(__atomic_load_n(&fw_pair_features_, __ATOMIC_RELAXED) ==
                                (FW_PAIR_CAS_ | FW_PAIR_VECTOR_ | FW_PAIR_ASKED_),
                            1);
}

/* A failure puts what was seen into *expected. */
static inline bool fw_pair_cas_(void *pair, fw_pair_ *expected, fw_pair_ value)
{
    uint64_t low = (uint64_t)*expected;
    uint64_t high = (uint64_t)(*expected >> 64);
    bool done;

    __asm__ __volatile__("lock cmpxchg16b %0"
                         : "+m"(*(fw_pair_ *)pair), "+a"(low), "+d"(high), "=@ccz"(done)
                         : "b"((uint64_t)value), "c"((uint64_t)(value >> 64))
                         : "memory");
    *expected = (fw_pair_)high << 64 | low;
    return done;
}

static inline bool fw_pair_quick_cas_(void *pair, fw_pair_ *expected, fw_pair_ value)
{
    return fw_pair_cas_(pair, expected, value);
}

static inline fw_pair_ fw_pair_quick_load_(const void *pair)
{
    __m128i both;

    __asm__ __volatile__("vmovdqa %1, %0" : "=x"(both) : "m"(*(const __m128i *)pair) : "memory");
    return (fw_pair_)(uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(both, both)) << 64 |
           (uint64_t)_mm_cvtsi128_si64(both);
}

/* The barrier is not on the return address: that would be read again at once, and wait for it. */
static inline void fw_pair_quick_store_(void *pair, fw_pair_ value, int order)
{
    __m128i both = _mm_set_epi64x((int64_t)(value >> 64), (int64_t)value);

    __asm__ __volatile__("vmovdqa %1, %0" : "=m"(*(__m128i *)pair) : "x"(both) : "memory");
    if (order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE)
        __asm__ __volatile__("lock orl $0, -8(%%rsp)" ::: "memory", "cc");
}

static inline fw_pair_ fw_pair_load_(const void *pair)
{
    fw_pair_ seen = 0;

    if ((fw_pair_features() & FW_PAIR_VECTOR_) != 0)
        return fw_pair_quick_load_(pair);
    fw_pair_cas_((void *)(uintptr_t)pair, &seen, 0); /* 0 -> 0, or nothing */
    return seen;
}

static inline void fw_pair_store_(void *pair, fw_pair_ value, int order)
{
    fw_pair_ seen = 0;

    if ((fw_pair_features() & FW_PAIR_VECTOR_) != 0) {
        fw_pair_quick_store_(pair, value, order);
        return;
    }
    while (!fw_pair_cas_(pair, &seen, value)) /* any -> value */
        continue;
}

#endif
