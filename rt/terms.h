/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_RT_TERMS_H
#define FW_RT_TERMS_H

/*
 * The words in which decide.h speaks.  A program with its own rules, as the kernel's, defines the
 * macros before it includes this.
 */
#include "rt/state.h"

#ifndef FW_RT_EACH
#define FW_RT_EACH(i, n) for (i = 0; i < (int)(n); i++)
#endif
#ifndef FW_RT_HIDE
#define FW_RT_HIDE(n) (void)(n) /* from the compiler: what is known of it */
#endif
#ifndef FW_RT_DECISION
#define FW_RT_DECISION static inline __attribute__((unused))
#endif

/* Ranks: base priorities, and above them the boosted ones. */
#define FW_RT_BOOSTED (1ull << 56)
#define FW_RT_AGES (1ull << 48)

FW_RT_DECISION uint64_t fw_rt_bit(uint32_t n)
{
    return 1ull << (n & 63);
}

/* Not by %, of which older verifiers do not know that it bounds. */
FW_RT_DECISION uint32_t fw_rt_lock_index(uint32_t d)
{
    FW_RT_HIDE(d);
    d &= 63;
    return d < FW_RT_LOCKS ? d : 0;
}

FW_RT_DECISION _Bool fw_rt_has_ceiling(uint32_t kind)
{
    return kind == FW_RT_KIND_IPCP || kind == FW_RT_KIND_PCP;
}

FW_RT_DECISION _Bool fw_rt_is_boosting(uint32_t kind)
{
    return kind == FW_RT_KIND_MPCP || kind == FW_RT_KIND_FMLP;
}

/* The locks that a task has, and no other bits. */
FW_RT_DECISION uint64_t fw_rt_locks_of(const struct fw_rt_task_record *c)
{
    return c->held & ~FW_RT_CAN_LOCK;
}

#endif
