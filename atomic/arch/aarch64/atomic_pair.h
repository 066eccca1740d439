/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_PAIR_H
#define FW_ATOMIC_PAIR_H

#include <stdbool.h>
#include <stdint.h>

/*
 * 16 bytes at an address that is a multiple of 16.  All orders: each operation is sequentially
 * consistent.
 *
 * Every AArch64 CPU has exclusive loads and stores of pairs.  What an exclusive load has read
 * is one value only if the exclusive store that follows succeeds (Arm ARM, B2.2.1), so that a load
 * by these writes back what it found.  FEAT_LSE adds a compare-and-swap of pairs, and FEAT_LSE2
 * makes plain loads of aligned pairs atomic; all of them mix.
 */
__extension__ typedef unsigned __int128 fw_pair_;

#define FW_PAIR_ASKED_ 1u /* the system was asked */
#define FW_PAIR_CASP_ 2u  /* FEAT_LSE: compare-and-swap of a pair */
#define FW_PAIR_PLAIN_ 4u /* FEAT_LSE2: a plain load of a pair is atomic */

extern unsigned fw_pair_features_;
unsigned fw_pair_ask_(void); /* asks it; what was found */

static inline unsigned fw_pair_features(void)
{
    unsigned f = __atomic_load_n(&fw_pair_features_, __ATOMIC_RELAXED);
    return __builtin_expect(f != 0, 1) ? f : fw_pair_ask_();
}

static inline bool fw_pair_is_here_(void)
{
    return true;
}

/* Is all of it here, and known to be?  Then what is called quick will do.  Asks nobody. */
static inline bool fw_pair_is_quick_(void)
{
    return __builtin_expect(__atomic_load_n(&fw_pair_features_, __ATOMIC_RELAXED) ==
                                (FW_PAIR_ASKED_ | FW_PAIR_CASP_ | FW_PAIR_PLAIN_),
                            1);
}

/* The value seen: `value` was stored if that is `expected`. */
static inline fw_pair_ fw_pair_cas_exclusive_(void *pair, fw_pair_ expected, fw_pair_ value)
{
    uint64_t low, high, next_low, next_high;
    uint32_t refused;

    __asm__ __volatile__(
        "1: ldaxp %[low], %[high], %[pair]\n\t"
        "cmp %[low], %[expected_low]\n\t"
        "ccmp %[high], %[expected_high], #0, eq\n\t"
        "csel %[next_low], %[value_low], %[low], eq\n\t"
        "csel %[next_high], %[value_high], %[high], eq\n\t"
        "stlxp %w[refused], %[next_low], %[next_high], %[pair]\n\t"
        "cbnz %w[refused], 1b"
        : [low] "=&r"(low), [high] "=&r"(high), [next_low] "=&r"(next_low),
          [next_high] "=&r"(next_high), [refused] "=&r"(refused), [pair] "+Q"(*(fw_pair_ *)pair)
        : [expected_low] "r"((uint64_t)expected), [expected_high] "r"((uint64_t)(expected >> 64)),
          [value_low] "r"((uint64_t)value), [value_high] "r"((uint64_t)(value >> 64))
        : "memory", "cc");
    return (fw_pair_)high << 64 | low;
}

/* The same; the instruction wants two pairs of registers, each even and odd. */
static inline fw_pair_ fw_pair_cas_casp_(void *pair, fw_pair_ expected, fw_pair_ value)
{
    register uint64_t low __asm__("x0") = (uint64_t)expected;
    register uint64_t high __asm__("x1") = (uint64_t)(expected >> 64);
    register uint64_t value_low __asm__("x2") = (uint64_t)value;
    register uint64_t value_high __asm__("x3") = (uint64_t)(value >> 64);

    __asm__ __volatile__(".arch_extension lse\n\t"
                         "caspal %[low], %[high], %[value_low], %[value_high], %[pair]"
                         : [low] "+r"(low), [high] "+r"(high), [pair] "+Q"(*(fw_pair_ *)pair)
                         : [value_low] "r"(value_low), [value_high] "r"(value_high)
                         : "memory");
    return (fw_pair_)high << 64 | low;
}

/* A failure puts what was seen into *expected. */
static inline bool fw_pair_cas_(void *pair, fw_pair_ *expected, fw_pair_ value)
{
    fw_pair_ wanted = *expected;

    *expected = (fw_pair_features() & FW_PAIR_CASP_) != 0
                    ? fw_pair_cas_casp_(pair, wanted, value)
                    : fw_pair_cas_exclusive_(pair, wanted, value);
    return *expected == wanted;
}

/*
 * The load-acquire in front keeps the load of the pair behind the store-releases that come before
 * it in the program, as sequential consistency asks; the barrier keeps it before what follows.
 */
static inline fw_pair_ fw_pair_load_plain_(const void *pair)
{
    uint64_t low, high, before;

    __asm__ __volatile__("ldar %[before], %[pair]\n\t"
                         "ldp %[low], %[high], %[pair]\n\t"
                         "dmb ishld"
                         : [before] "=&r"(before), [low] "=&r"(low), [high] "=&r"(high)
                         : [pair] "Q"(*(const fw_pair_ *)pair)
                         : "memory");
    return (fw_pair_)high << 64 | low;
}

#define fw_pair_quick_load_ fw_pair_load_plain_

static inline bool fw_pair_quick_cas_(void *pair, fw_pair_ *expected, fw_pair_ value)
{
    fw_pair_ wanted = *expected;

    *expected = fw_pair_cas_casp_(pair, wanted, value);
    return *expected == wanted;
}

static inline void fw_pair_quick_store_(void *pair, fw_pair_ value, int order)
{
    fw_pair_ seen = 0;

    (void)order;
    while (!fw_pair_quick_cas_(pair, &seen, value)) /* any -> value */
        continue;
}

static inline fw_pair_ fw_pair_load_(const void *pair)
{
    fw_pair_ seen = 0;

    if ((fw_pair_features() & FW_PAIR_PLAIN_) != 0)
        return fw_pair_load_plain_(pair);
    fw_pair_cas_((void *)(uintptr_t)pair, &seen, 0); /* 0 -> 0, or what it is -> the same */
    return seen;
}

static inline void fw_pair_store_(void *pair, fw_pair_ value, int order)
{
    fw_pair_ seen = 0;

    (void)order;
    while (!fw_pair_cas_(pair, &seen, value)) /* any -> value */
        continue;
}

#endif
