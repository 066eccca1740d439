/* SPDX-License-Identifier: MIT */
#include <cpuid.h>
#include <string.h>

#include "atomic_pair.h"
#include "watch.h"

/* 0 until asked: operations may come before any constructor. */
unsigned fw_pair_features_;

/* Those who have promised it. */
static bool vendor_guarantees_vectors(void)
{
    static const char vendors[][13] = {"GenuineIntel", "AuthenticAMD", "HygonGenuine",
                                       "CentaurHauls", "  Shanghai  "};
    unsigned most;
    char name[12];
    unsigned part[3];

    if (!__get_cpuid(0, &most, &part[0], &part[2], &part[1]))
        return false;
    memcpy(name, part, sizeof name);
    for (unsigned i = 0; i < sizeof vendors / sizeof vendors[0]; i++)
        if (memcmp(name, vendors[i], sizeof name) == 0)
            return true;
    return false;
}

/* Does the system keep the upper halves of vector registers?  Else AVX instructions are refused. */
static bool system_saves_vectors(void)
{
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & 6) == 6;
}

__attribute__((cold)) unsigned fw_pair_ask_(void)
{
    unsigned eax, ebx, ecx, edx;
    unsigned found = FW_PAIR_ASKED_ | (fw_is_watched_() ? FW_PAIR_WATCHED_ : 0);

    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_CMPXCHG16B) != 0) {
        found |= FW_PAIR_CAS_;
        if ((ecx & bit_AVX) != 0 && (ecx & bit_OSXSAVE) != 0 && system_saves_vectors() &&
            vendor_guarantees_vectors())
            found |= FW_PAIR_VECTOR_;
    }
    __atomic_store_n(&fw_pair_features_, found, __ATOMIC_RELAXED);
    return found;
}
