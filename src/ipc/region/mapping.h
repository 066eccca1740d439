/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_MAPPING_H
#define FW_IPC_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>

#include "ipc/region/ranges.h"
#include "sys/robust.h"

/*
 * Where this process has its regions.  What an operation needs to know of a region it takes from
 * here, where it was checked when the region was joined, and not from the region's head, which
 * another process may have written over since.
 *
 * Mappings change when a region is joined or closed (one at a time); operations look them up
 * without a lock.  A region that is being closed has no operation under way: the user's duty.
 */
struct fw_ipc_head_;
struct fw_ipc_participant_;
struct fw_ipc_plan_; /* ipc/region/head.h */

/* What a process knows of a slot by itself: SLOT4 in layout.h. */
struct fw_ipc_own_slot_ {
    uint32_t thread; /* of this process, which has had it last: its id, or 0 */
    /*
     * The thread of this process that is a participant by it, or was one until it ended; and for
     * that thread only the life of the process (sys/fork.h) in which it is, and its id as a
     * participant.  Atomic, as is what follows: no race checker sees what orders it with the slot's
     * next thread.
     */
    uint32_t participant;
    uint64_t life, id;
    /*
     * The entry that comes right behind the slot's in that thread's robust list.  For that thread
     * only.
     */
    uintptr_t behind;
};

struct fw_ipc_mapping_ {
    uintptr_t base;
    size_t size;
    uint64_t generation; /* one more with every region that it is of */
    struct fw_ipc_head_ *head;
    struct fw_ipc_participant_ *participants;
    uint32_t participant_count;
    uint32_t index;
    uint32_t flags; /* the head's */
    /*
     * Others can write over what the slots say, and then memory to which a thread's robust list
     * leads would seem to be free.  Stored before a slot enters the list, and cleared after it
     * left; if the thread has ended, by the thread that finds out.  (No fw_ operations: other
     * processes, of which the model is made, have nothing to do with it.)
     */
    struct fw_ipc_own_slot_ *own_slots;
};

extern struct fw_ipc_mapping_ fw_ipc_mappings_[FW_RANGES];
extern struct fw_ranges_ fw_ipc_ranges_; /* the mapping in each slot is the one of that index */

/*
 * A number that changes with every change of the mappings, and with every fork: what a thread
 * remembers holds as long as it is the same.  0 right after a fork; fw_ipc_epoch_ never returns 0.
 */
uint64_t fw_ipc_epoch_(void);

/* The mapping of the region in which the object begins; NULL: none. */
const struct fw_ipc_mapping_ *fw_ipc_mapping_of_(const void *object);

/*
 * Enters a region whose head was checked, and has this plan.  0; EBUSY: it overlaps with another
 * mapping; EMFILE: there are FW_RANGES.
 */
int fw_ipc_mapping_add_(void *base, const struct fw_ipc_plan_ *plan,
                        const struct fw_ipc_mapping_ **mapping);
void fw_ipc_mapping_remove_(const struct fw_ipc_mapping_ *mapping);

static inline uint32_t fw_ipc_slot_thread_(const struct fw_ipc_mapping_ *mapping, uint32_t slot)
{
    return __atomic_load_n(&mapping->own_slots[slot].thread, __ATOMIC_RELAXED);
}

static inline void fw_ipc_set_slot_thread_(const struct fw_ipc_mapping_ *mapping, uint32_t slot,
                                           uint32_t thread)
{
    __atomic_store_n(&mapping->own_slots[slot].thread, thread, __ATOMIC_RELAXED);
}

/* An address as the offset from the region's base, and back; 0 and NULL: not in the region. */
static inline uint64_t fw_ipc_offset_(const struct fw_ipc_mapping_ *mapping, const void *object)
{
    uintptr_t at = (uintptr_t)object - mapping->base;

    return at < mapping->size ? at : 0;
}

static inline void *fw_ipc_address_(const struct fw_ipc_mapping_ *mapping, uint64_t at, size_t size)
{
    if (at == 0 || at > mapping->size || size > mapping->size - at)
        return NULL;
    return (void *)(mapping->base + (uintptr_t)at);
}

#endif
