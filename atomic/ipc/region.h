/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_REGION_H
#define FW_ATOMIC_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>
#include <furwock/ipc/atomic.h>

/*
 * The regions that this process has joined.  Operations look them up without a lock, while others
 * are joined and left; the region of an object in use stays, by contract.
 *
 * A slot's generation is odd while it has a region.  It is even while the slot is empty or being
 * changed; so who finds the same odd number before and after has read one region, whole.
 */
struct fw_region_ {
    char *base;
    size_t size;
    size_t largest;     /* 0: nothing can be used (another pid namespace) */
    size_t stripe_size; /* of the table */
};

struct fw_region_slot_ {
    uint64_t generation;
    uint64_t base;
    uint64_t size;
    uint64_t largest;
    uint64_t stripe_size;
    uint64_t is_reserved; /* what follows is for those who change slots */
};

extern struct fw_region_slot_ fw_region_slots_[FW_IPC_ATOMIC_REGIONS];
extern uint32_t fw_region_slots_used_; /* no region in a slot from here on */

/* The bytes of its table. */
static inline size_t fw_region_space_(const struct fw_region_ *region)
{
    return FW_IPC_ATOMIC_HEAD_ + FW_IPC_ATOMIC_STRIPES_ * region->stripe_size;
}

/* The region in which this address lies. */
static inline __attribute__((always_inline)) bool fw_region_of_(const void *object,
                                                                struct fw_region_ *region)
{
    uint32_t used = fw_load32_relaxed(&fw_region_slots_used_);

    for (uint32_t i = 0; i < used; i++) {
        const struct fw_region_slot_ *slot = &fw_region_slots_[i];
        uint64_t generation = fw_load64_acquire(&slot->generation);
        uint64_t base = fw_load64_relaxed(&slot->base);

        while ((generation & 1) != 0 && (uintptr_t)object - base < fw_load64_relaxed(&slot->size)) {
            uint64_t now;
            region->base = (char *)(uintptr_t)base;
            region->size = fw_load64_relaxed(&slot->size);
            region->largest = fw_load64_relaxed(&slot->largest);
            region->stripe_size = fw_load64_relaxed(&slot->stripe_size);
            fw_fence_acquire();
            now = fw_load64_relaxed(&slot->generation);
            if (now == generation)
                return true;
            generation = fw_load64_acquire(&slot->generation);
            base = fw_load64_relaxed(&slot->base);
        }
    }
    return false;
}

/*
 * Finds an empty slot for a region that is about to be joined, in this pid namespace.  0, EBUSY (it
 * overlaps with another) or EMFILE.
 */
int fw_region_reserve_(void *base, size_t size, uint64_t pid_namespace, unsigned *slot);

/* Fills a reserved slot, or gives it back. */
void fw_region_publish_(unsigned slot, size_t largest, size_t stripe_size);
void fw_region_cancel_(unsigned slot);

/* Empties the slot of the region that begins there.  0 or ENOENT. */
int fw_region_remove_(const void *base);

/* Has the process been forked into another pid namespace than that of its regions? */
bool fw_region_is_foreign_(void);

#endif
