/* SPDX-License-Identifier: MIT */
#ifndef FW_RWLOCK_KIND_H
#define FW_RWLOCK_KIND_H

#include <stdint.h>

#include <furwock/rwlock.h>

/*
 * The kind of a pthread_rwlock_t, in the C library's numbers, which are in static initialisers.
 * Contract: src/thread/default/rwlock_kind.h.  0 must let a reader in again while a writer waits,
 * and 1 too:
 * programs rely on both.
 */
static inline fw_rwlock_kind fw_rwlock_kind_of_bits_(uint64_t bits)
{
    return bits == 2 ? FW_RWLOCK_PREFER_WRITERS : FW_RWLOCK_PREFER_READERS;
}

#endif
