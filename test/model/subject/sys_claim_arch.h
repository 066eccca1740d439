/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_CLAIM_ARCH_H
#define FW_SYS_CLAIM_ARCH_H

/* src/sys/claim.h: one step, or never done; by program (subject/rt.c). */
extern _Bool subject_claims;
#define FW_CLAIMS subject_claims

bool fw_claim_(uint32_t cpu, uint64_t *word, uint64_t value, const uint64_t *const *other,
               const uint64_t *seen, unsigned n);

static inline bool fw_claim_one_(uint32_t cpu, uint64_t *word, uint64_t value,
                                 const uint64_t *other, uint64_t seen)
{
    return fw_claim_(cpu, word, value, &other, &seen, 1);
}

#endif
