/* SPDX-License-Identifier: MIT */
/*
 * The addresses at which this process has regions.  Contract: ranges.h.
 *
 * Origin: a slot is read as Linux's seqlocks are, by readers that never wait for a writer.
 *
 *   generation   is_reserved   meaning              left by
 *   even         0             empty                reserve
 *   even         1             about to be joined   publish (-> odd), cancel
 *   odd          1             has a region         remove (-> even)
 *
 *   RANGE1  A slot's fields change only while its generation is even.  A thread that has read the
 *           same odd number before and after has read the fields of one region.
 *   RANGE2  Reserved ranges do not overlap.
 *   RANGE3  A thread that forks while another changes the table has a child in which the slot is
 *           empty or has its region, whole: publish and remove are one store each.
 */
#include "ipc/region/ranges.h"

#include <errno.h>

static bool is_published(const struct fw_range_ *slot)
{
    return (fw_load64_relaxed(&slot->generation) & 1) != 0;
}

static bool overlaps(const struct fw_range_ *slot, uint64_t base, uint64_t size)
{
    return slot->is_reserved && base < slot->base + slot->size && slot->base < base + size;
}

int fw_range_reserve_(struct fw_ranges_ *table, const void *base, size_t size, uint32_t *slot)
{
    struct fw_range_ *mine = NULL;

    for (uint32_t i = 0; i < FW_RANGES; i++) {
        struct fw_range_ *at = &table->slots[i];
        if (overlaps(at, (uintptr_t)base, size)) /* RANGE2 */
            return EBUSY;
        if (!at->is_reserved && mine == NULL)
            mine = at;
    }
    if (mine == NULL)
        return EMFILE;
    mine->is_reserved = 1;
    fw_store64_relaxed(&mine->base, (uintptr_t)base);
    fw_store64_relaxed(&mine->size, size);
    *slot = (uint32_t)(mine - table->slots);
    return 0;
}

void fw_range_publish_(struct fw_ranges_ *table, uint32_t slot, uint64_t first, uint64_t second)
{
    struct fw_range_ *mine = &table->slots[slot];

    fw_store64_relaxed(&mine->value[0], first);
    fw_store64_relaxed(&mine->value[1], second);
    fw_store64_release(&mine->generation, mine->generation + 1); /* even -> odd: RANGE1 */
    if (slot >= table->used)
        fw_store32_release(&table->used, slot + 1);
}

void fw_range_cancel_(struct fw_ranges_ *table, uint32_t slot)
{
    table->slots[slot].is_reserved = 0;
}

void fw_range_remove_(struct fw_ranges_ *table, uint32_t slot)
{
    struct fw_range_ *mine = &table->slots[slot];

    fw_store64_relaxed(&mine->generation, mine->generation + 1); /* odd -> even: RANGE1 */
    fw_fence_release(); /* a thread that sees the next region's fields sees that this one ended */
    mine->is_reserved = 0;
}

uint32_t fw_range_at_(const struct fw_ranges_ *table, const void *base)
{
    uint32_t i = 0;

    while (i < FW_RANGES &&
           !(is_published(&table->slots[i]) && table->slots[i].base == (uintptr_t)base))
        i++;
    return i;
}

unsigned fw_ranges_after_fork_(struct fw_ranges_ *table)
{
    unsigned count = 0;

    for (uint32_t i = 0; i < FW_RANGES; i++) { /* RANGE3 */
        table->slots[i].is_reserved = is_published(&table->slots[i]);
        count += is_published(&table->slots[i]);
    }
    return count;
}
