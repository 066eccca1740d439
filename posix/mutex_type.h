/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_MUTEX_TYPE_H
#define FW_PRELOAD_MUTEX_TYPE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>

#include "object.h"
#include "sys/robust.h"

/*
 * What the type of a mutex (normal, recursive, errorcheck, adaptive) says, for the kinds that have
 * the C library's layout; and the fields that all of these keep in the same way.
 */

/* For lock: the caller has it already, and waits as anybody. */
#define FW_TYPE_WAITS (-1)

/* In the place of the owner of a robust mutex, as the C library has it. */
#define FW_OWNER_INCONSISTENT UINT32_C(0x7fffffff) /* died; to be declared consistent */
#define FW_OWNER_GONE UINT32_C(0x7ffffffe)         /* never again: ENOTRECOVERABLE */

/* The thread that holds it asks for it again. */
static inline int fw_type_relock_(struct fw_posix_mutex_ *m)
{
    switch (fw_kind_type_(m->kind)) {
    case FW_KIND_ERRORCHECK:
        return EDEADLK;
    case FW_KIND_RECURSIVE:
        if (m->shared_count == UINT32_MAX)
            return EAGAIN;
        m->shared_count++;
        return 0;
    default:
        return FW_TYPE_WAITS;
    }
}

static inline bool fw_type_is_recursive_(const struct fw_posix_mutex_ *m)
{
    return fw_kind_type_(m->kind) == FW_KIND_RECURSIVE;
}

/* Of a type for which it matters who holds it. */
static inline bool fw_type_knows_owner_(const struct fw_posix_mutex_ *m)
{
    int type = fw_kind_type_(m->kind);

    return type == FW_KIND_RECURSIVE || type == FW_KIND_ERRORCHECK;
}

/* Does the caller hold it, as far as the type cares?  It is free if all bits of `state` are 0. */
static inline bool fw_type_may_release_(const struct fw_posix_mutex_ *m, uint32_t state)
{
    switch (fw_kind_type_(m->kind)) {
    case FW_KIND_RECURSIVE:
        return fw_load32_relaxed(&m->owner) == fw_robust_self_();
    case FW_KIND_ERRORCHECK:
        return fw_load32_relaxed(&m->owner) == fw_robust_self_() &&
               (fw_load32_relaxed(&m->word) & state) != 0;
    default:
        return true;
    }
}

/* The caller has just got it, from nobody. */
static inline void fw_type_sign_(struct fw_posix_mutex_ *m, uint32_t id)
{
    m->shared_count = 1;
    fw_store32_relaxed(&m->owner, id);
    m->users++;
}

/* The caller is about to release it.  A program may release what nobody has. */
static inline void fw_type_clear_(struct fw_posix_mutex_ *m, uint32_t owner)
{
    fw_store32_relaxed(&m->owner, owner);
    if (m->users != 0)
        m->users--;
}

#endif
