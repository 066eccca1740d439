/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_REGION_H
#define FW_ATOMIC_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>
#include <furwock/ipc/atomic.h>

#include "ipc/region/ranges.h"

/*
 * The regions that this process has joined.  Operations look them up without a lock, while others
 * are joined and left; the region of an object in use stays, by contract.
 */
struct fw_region_ {
    char *base;
    size_t size;
    size_t largest;     /* 0: nothing can be used (another pid namespace) */
    size_t stripe_size; /* of the table */
};

/* What a slot keeps with its region. */
enum { FW_REGION_LARGEST_ = 0, FW_REGION_STRIPE_SIZE_ = 1 };

extern struct fw_ranges_ fw_region_ranges_;

/* The bytes of its table. */
static inline size_t fw_region_space_(const struct fw_region_ *region)
{
    return FW_IPC_ATOMIC_HEAD_ + FW_IPC_ATOMIC_STRIPES_ * region->stripe_size;
}

/* The region in which this address lies. */
static inline __attribute__((always_inline)) bool fw_region_of_(const void *object,
                                                                struct fw_region_ *region)
{
    uint64_t generation;
    uint32_t i;

    do {
        const struct fw_range_ *slot;
        i = fw_range_find_(&fw_region_ranges_, object, &generation);
        if (i == FW_RANGES)
            return false;
        slot = &fw_region_ranges_.slots[i];
        region->base = (char *)(uintptr_t)fw_load64_relaxed(&slot->base);
        region->size = fw_load64_relaxed(&slot->size);
        region->largest = fw_load64_relaxed(&slot->value[FW_REGION_LARGEST_]);
        region->stripe_size = fw_load64_relaxed(&slot->value[FW_REGION_STRIPE_SIZE_]);
    } while (!fw_range_is_same_(&fw_region_ranges_, i, generation));
    return true;
}

/*
 * Finds an empty slot for a region that is about to be joined, in this pid namespace.  0, EBUSY (it
 * overlaps with another) or EMFILE.
 */
int fw_region_reserve_(void *base, size_t size, uint64_t pid_namespace, uint32_t *slot);

/* Fills a reserved slot, or gives it back. */
void fw_region_publish_(uint32_t slot, size_t largest, size_t stripe_size);
void fw_region_cancel_(uint32_t slot);

/* Empties the slot of the region that begins there.  0 or ENOENT. */
int fw_region_remove_(const void *base);

/* Has the process been forked into another pid namespace than that of its regions? */
bool fw_region_is_foreign_(void);

#endif
