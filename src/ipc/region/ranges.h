/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_RANGES_H
#define FW_IPC_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>

/*
 * The addresses at which this process has regions: a table that is searched without a lock while
 * regions come and go.  The locks between processes have one (mapping.h), and so do the atomics
 * between processes (atomic/ipc/region.h).  States and invariants: ranges.c.
 *
 *     do {
 *         i = fw_range_find_(&table, address, &generation);
 *         if (i == FW_RANGES)
 *             ...                             // no region of the table has this address
 *         ... = table.slots[i].base, size, value   // atomic loads
 *     } while (!fw_range_is_same_(&table, i, generation));
 *
 * The region of an object in use stays, by contract: its slot does not change.
 */
enum { FW_RANGES = 16 };

struct fw_range_ {
    uint64_t generation; /* odd: has a region */
    uint64_t base;
    uint64_t size;
    uint64_t value[2];    /* what the owner of the table keeps with a region */
    uint64_t is_reserved; /* for threads that change the table */
};

struct fw_ranges_ {
    struct fw_range_ slots[FW_RANGES];
    uint32_t used; /* no region in a slot from here on */
};

/* The slot of the region with this address, if fw_range_is_same_ says so then; FW_RANGES: none. */
static inline __attribute__((always_inline)) uint32_t
fw_range_find_(const struct fw_ranges_ *table, const void *address, uint64_t *generation)
{
    uint32_t used = fw_load32_relaxed(&table->used);

    for (uint32_t i = 0; i < used; i++) {
        const struct fw_range_ *slot = &table->slots[i];
        *generation = fw_load64_acquire(&slot->generation);
        if ((*generation & 1) != 0 &&
            (uintptr_t)address - fw_load64_relaxed(&slot->base) < fw_load64_relaxed(&slot->size))
            return i;
    }
    return FW_RANGES;
}

/* Was all that was read of the slot, since it was found, of one region? */
static inline __attribute__((always_inline)) bool
fw_range_is_same_(const struct fw_ranges_ *table, uint32_t slot, uint64_t generation)
{
    fw_fence_acquire();
    return fw_load64_relaxed(&table->slots[slot].generation) == generation;
}

/* What follows is for threads that change a table, one at a time: that is the caller's duty. */

/* Finds an empty slot for a region.  0, EBUSY (it overlaps with another) or EMFILE. */
int fw_range_reserve_(struct fw_ranges_ *table, const void *base, size_t size, uint32_t *slot);

/* Fills a reserved slot, or gives it back. */
void fw_range_publish_(struct fw_ranges_ *table, uint32_t slot, uint64_t first, uint64_t second);
void fw_range_cancel_(struct fw_ranges_ *table, uint32_t slot);

/* Empties the slot of a region. */
void fw_range_remove_(struct fw_ranges_ *table, uint32_t slot);

/* The slot of the region that begins there; FW_RANGES: there is none. */
uint32_t fw_range_at_(const struct fw_ranges_ *table, const void *base);

/* In a forked child, where no change is under way: gives back what was reserved.  How many stay? */
unsigned fw_ranges_after_fork_(struct fw_ranges_ *table);

#endif
