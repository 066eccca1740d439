/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_CLAIM_ARCH_H
#define FW_SYS_CLAIM_ARCH_H

/* No restartable sequences here. */
enum { FW_CLAIMS = 0 };

static inline bool fw_claim_(uint32_t cpu, uint64_t *word, uint64_t value,
                             const uint64_t *const *other, const uint64_t *seen, unsigned n)
{
    (void)cpu, (void)word, (void)value, (void)other, (void)seen, (void)n;
    return false;
}

static inline bool fw_claim_one_(uint32_t cpu, uint64_t *word, uint64_t value,
                                 const uint64_t *other, uint64_t seen)
{
    (void)cpu, (void)word, (void)value, (void)other, (void)seen;
    return false;
}

#endif
