/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_SHARE_H
#define FW_IPC_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>

#include "ipc/region/layout.h"
#include "ipc/region/participant.h"

/*
 * Shares: what a thread holds together with others.  They stand in the thread's own slot of the
 * region, so that a share of a dead thread need not be given back, and readers do not write to the
 * lock.
 *
 *   bit   63 ... 32    31 ... 2                          1 ... 0
 *         generation   offset of the lock in 8 bytes     state
 *
 *   state    meaning                               left by
 *   NONE     nothing (with all other bits 0)       its thread: -> HELD, -> WAITS
 *   HELD     has a share, or is about to find      its thread: -> NONE, -> WAITS
 *            out that it may not
 *   WAITS    waits for one, and spins              its thread: -> SLEEPS, -> HELD, -> NONE;
 *   SLEEPS   the same, and may be asleep on it     the thread that admits readers: -> HELD;
 *                                                  the one that opens the lock: SLEEPS -> WAITS
 *
 *   SHR1  A record counts only while the thread of its slot generation lives.  If another thread
 *         has the slot, the old records say nothing; it writes over them.
 *   SHR2  A thread gives back the first of its records for a lock, and takes any that is free.  So
 *         while it holds the lock, the last index of a HELD record does not get smaller; and a
 *         thread that reads the records of a slot in ascending order, and finds none HELD, has seen
 *         a moment at which the owner held nothing, however often it locked again meanwhile.
 *   SHR3  A thread that dies after any of these changes is like one that died before it, or leaves
 *         a record that says nothing.
 */
enum {
    FW_IPC_SHARE_NONE = 0,
    FW_IPC_SHARE_HELD = 1,
    FW_IPC_SHARE_WAITS = 2,
    FW_IPC_SHARE_SLEEPS = 3,
    FW_IPC_SHARE_STATE = 3
};

#define FW_IPC_SLOT_GENERATION_ UINT64_C(0xffffffff00000000)

/* A lock remembers in which groups of slots there may be records of it. */
#define FW_IPC_GROUPS_ 64u

_Static_assert(FW_IPC_REGION_MAX_SIZE / 8 <= UINT64_C(1) << 30,
               "an offset in units of 8 bytes has 30 bits");

static inline uint64_t fw_ipc_group_of_(uint64_t holder)
{
    return UINT64_C(1) << (((holder & FW_IPC_SLOT) - 1) % FW_IPC_GROUPS_);
}

/* A record of the lock, without generation and state. */
static inline uint32_t fw_ipc_share_key_(const struct fw_ipc_mapping_ *mapping, const void *lock)
{
    return (uint32_t)(((uintptr_t)lock - mapping->base) >> 1);
}

/* The caller's, without the state. */
static inline uint64_t fw_ipc_share_of_(const struct fw_ipc_me_ *me, const void *lock)
{
    return (me->id & FW_IPC_SLOT_GENERATION_) | fw_ipc_share_key_(me->mapping, lock);
}

static inline uint64_t fw_ipc_share_state_(uint64_t record)
{
    return record & FW_IPC_SHARE_STATE;
}

/* The first of the caller's records that is just this; NULL: there is none. */
static inline uint64_t *fw_ipc_share_find_(const struct fw_ipc_me_ *me, uint64_t record)
{
    for (unsigned i = 0; i < FW_IPC_SHARES; i++) /* F:ipc-rw-last-share */
        if (fw_load64_relaxed(&me->participant->shares[i]) == record)
            return &me->participant->shares[i];
    return NULL;
}

/* A record of the caller's slot that is free: NONE, or of an earlier generation (SHR1). */
static inline uint64_t *fw_ipc_share_free_record_(const struct fw_ipc_me_ *me)
{
    for (unsigned i = 0; i < FW_IPC_SHARES; i++) {
        uint64_t r = fw_load64_relaxed(&me->participant->shares[i]);
        if (r == FW_IPC_SHARE_NONE || ((r ^ me->id) & FW_IPC_SLOT_GENERATION_) != 0)
            return &me->participant->shares[i];
    }
    return NULL;
}

/* What others sleep on until a record changes, and its thread until it is admitted. */
static inline const uint32_t *fw_ipc_share_half_(const uint64_t *record)
{
    return (const uint32_t *)(const void *)record;
}

/*
 * A walk over all records of a lock, in the slots of `groups`: by group, slot, index.
 *
 *     fw_ipc_walk_begin_(&k, mapping, lock, groups);
 *     while (fw_ipc_walk_next_(&k)) ... k.record, k.seen, k.holder ...
 *
 * The records are read in an order that all threads agree on (rwlock.c).
 */
struct fw_ipc_walk_ {
    const struct fw_ipc_mapping_ *mapping;
    uint64_t groups;  /* the present one, and the next ones */
    uint64_t *record; /* found */
    uint64_t seen;    /* what it said */
    uint64_t holder;  /* its thread, if that lives */
    uint32_t key;
    uint32_t used; /* slots */
    uint32_t slot;
    uint32_t index;
};

void fw_ipc_walk_begin_(struct fw_ipc_walk_ *k, const struct fw_ipc_mapping_ *mapping,
                        const void *lock, uint64_t groups);
bool fw_ipc_walk_next_(struct fw_ipc_walk_ *k);

/* Admits all that wait for a share of the lock, and wakes them.  The caller excludes writers. */
void fw_ipc_shares_grant_(const struct fw_ipc_mapping_ *mapping, const void *lock, uint64_t groups);

/*
 * Wakes those that sleep for one: they look for themselves.  Their records say WAITS again, so that
 * one that is about to sleep does not.  Does not touch the lock.
 */
void fw_ipc_shares_wake_(const struct fw_ipc_mapping_ *mapping, const void *lock, uint64_t groups);

/*
 * Clears the lock's hint, except for the groups in which there are records of it.  The caller keeps
 * new readers out; if it dies meanwhile, the next holder sets all bits before it admits readers.
 */
void fw_ipc_shares_tidy_(const struct fw_ipc_mapping_ *mapping, const void *lock, uint64_t *hint);

#endif
