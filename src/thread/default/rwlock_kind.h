/* SPDX-License-Identifier: MIT */
#ifndef FW_RWLOCK_KIND_H
#define FW_RWLOCK_KIND_H

#include <stdint.h>

#include <furwock/rwlock.h>

/*
 * What the two kind bits of a lock's second word mean.  Others that keep their bits in an fw_rwlock
 * have a header of this name of their own, before this one on the include path.
 */
static inline fw_rwlock_kind fw_rwlock_kind_of_bits_(uint64_t bits)
{
    return (fw_rwlock_kind)bits;
}

#endif
