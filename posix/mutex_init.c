/* SPDX-License-Identifier: MIT */
/*
 * Mutexes of all kinds are made and unmade.  Contract: mutex_init.h.  Layout: object.h.
 *
 * A destroyed mutex has all bits of its kind set: no kind has both INHERIT and PROTECT, by which
 * lock, trylock and unlock know it (EINVAL).
 */
#include "mutex_init.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "export.h"
#include "mutex_pi.h"
#include "mutex_protect.h"
#include "mutex_type.h"
#include "mutexattr.h"
#include "object.h"
#include "sys/robust.h"

/* object.h, against the C library's. */
_Static_assert(offsetof(struct fw_posix_mutex_, kind) == offsetof(pthread_mutex_t, __data.__kind),
               "initialisers of programs say so");
_Static_assert(offsetof(struct fw_posix_mutex_, owner) == offsetof(pthread_mutex_t, __data.__owner),
               "as the C library has it");
_Static_assert(offsetof(struct fw_posix_mutex_, prev) == offsetof(pthread_mutex_t, __data.__list),
               "as the C library has it");
_Static_assert(FW_KIND_RECURSIVE == PTHREAD_MUTEX_RECURSIVE_NP, "the C library's numbers");
_Static_assert(FW_KIND_ERRORCHECK == PTHREAD_MUTEX_ERRORCHECK_NP, "the C library's numbers");
_Static_assert(FW_KIND_ADAPTIVE == PTHREAD_MUTEX_ADAPTIVE_NP, "the C library's numbers");

enum { DESTROYED = -1 };

static int protocol_of(uint32_t attr)
{
    return (int)((attr & FW_ATTR_PROTOCOL) >> FW_ATTR_PROTOCOL_SHIFT);
}

static bool is_supported(uint32_t attr)
{
    switch (protocol_of(attr)) {
    case PTHREAD_PRIO_NONE:
        return true;
    case PTHREAD_PRIO_INHERIT:
        return fw_pi_is_there_();
    default:
        return (attr & FW_ATTR_ROBUST) == 0;
    }
}

/* What is robust says shared as well: so has the C library it, for the kernel wakes like that. */
static int kind_of(uint32_t attr)
{
    int kind = (int)(attr & FW_ATTR_TYPE & ~FW_ATTR_NO_ELISION);

    if ((attr & FW_ATTR_ROBUST) != 0)
        kind |= FW_KIND_ROBUST | FW_KIND_SHARED;
    if ((attr & FW_ATTR_SHARED) != 0)
        kind |= FW_KIND_SHARED;
    if (protocol_of(attr) == PTHREAD_PRIO_INHERIT)
        kind |= FW_KIND_INHERIT;
    else if (protocol_of(attr) != PTHREAD_PRIO_NONE)
        kind |= FW_KIND_PROTECT;
    if (!fw_kind_is_plain_(kind)) /* another process may look at it with the C library's eyes */
        kind |= (int)(attr & FW_ATTR_NO_ELISION);
    return kind;
}

int fw_posix_mutex_init_(pthread_mutex_t *p, const pthread_mutexattr_t *a)
{
    struct fw_posix_mutex_ *m = fw_posix_mutex_(p);
    uint32_t attr = a != NULL ? ((const struct fw_posix_mutexattr_ *)a)->word : 0;
    int ceiling;

    if (!is_supported(attr))
        return ENOTSUP;
    memset(p, 0, sizeof *p);
    if ((kind_of(attr) & FW_KIND_PROTECT) != 0) {
        fw_posix_mutexattr_getprioceiling_(a, &ceiling);
        m->word = fw_protect_word_(ceiling);
    }
    m->kind = kind_of(attr);
    return 0;
}
FW_EXPORT(fw_posix_mutex_init_, pthread_mutex_init, GLIBC_2_2_5);
FW_EXPORT(fw_posix_mutex_init_, __pthread_mutex_init, GLIBC_2_2_5);

static bool is_in_use(const struct fw_posix_mutex_ *m)
{
    if (fw_kind_is_plain_(m->kind))
        return m->users != 0 || fw_mutex_owner(&m->lock) != 0;
    return (m->kind & FW_KIND_ROBUST) == 0 && m->users != 0;
}

int fw_posix_mutex_destroy_(pthread_mutex_t *p)
{
    struct fw_posix_mutex_ *m = fw_posix_mutex_(p);

    if (is_in_use(m))
        return EBUSY;
    m->kind = DESTROYED;
    return 0;
}
FW_EXPORT(fw_posix_mutex_destroy_, pthread_mutex_destroy, GLIBC_2_2_5);
FW_EXPORT(fw_posix_mutex_destroy_, __pthread_mutex_destroy, GLIBC_2_2_5);

int fw_posix_mutex_consistent_(pthread_mutex_t *p)
{
    struct fw_posix_mutex_ *m = fw_posix_mutex_(p);

    if ((m->kind & FW_KIND_ROBUST) == 0 || fw_load32_relaxed(&m->owner) != FW_OWNER_INCONSISTENT)
        return EINVAL;
    fw_store32_relaxed(&m->owner, fw_robust_self_());
    return 0;
}
FW_EXPORT(fw_posix_mutex_consistent_, pthread_mutex_consistent, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_mutex_consistent_, pthread_mutex_consistent, GLIBC_2_12);
FW_EXPORT_OLD(fw_posix_mutex_consistent_, pthread_mutex_consistent_np, GLIBC_2_4);
