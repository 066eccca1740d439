/* SPDX-License-Identifier: MIT */
/*
 * The directory of a region: named objects.  Contract: directory.h.
 *
 *   state    meaning                          left by
 *   0        free, the rest may be anything   enter, under the lock `naming`: all else, then state
 *   a kind   an object, for good              nobody
 *
 *   DIR1  An entry whose state is a kind is whole, and never changes: it is read without a lock.
 *   DIR2  Only the entries say what space is taken: behind the last object all is free.  So a
 *         thread that dies while it holds `naming` leaves nothing to repair.
 *   DIR3  An object is zeroes, or what its init has made of them, before its state is stored.
 *   DIR4  Free space is zeroes, except where an init began and did not end in an object: that is
 *         below head->dirty_to, which is raised before any init begins.  So large objects are not
 *         cleared for nothing.
 *
 * Entries that were written over are told from sound ones if they contradict the plan.  As long as
 * one does, no object is made: what space is taken is not known.
 */
#include "ipc/region/directory.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <furwock/bits/atomic.h>
#include <furwock/ipc/region.h>

/* Objects are aligned so: one cache line. */
enum { ALIGNMENT = 64 };

_Static_assert(FW_REGION_NAME_MAX == FW_IPC_NAME_SIZE - 1, "the header says so");

static struct fw_ipc_entry_ *entries_of(const void *base, const struct fw_ipc_plan_ *plan)
{
    return (struct fw_ipc_entry_ *)((uintptr_t)base + plan->entries_at);
}

static bool is_sound(const struct fw_ipc_entry_ *e, const struct fw_ipc_plan_ *plan)
{
    return e->state >= FW_REGION_DATA && e->state <= FW_REGION_JOURNAL &&
           e->at >= plan->objects_at && e->at < plan->size && e->at % ALIGNMENT == 0 &&
           e->size != 0 && e->size <= plan->size - e->at && e->name[0] != '\0' &&
           memchr(e->name, '\0', sizeof e->name) != NULL;
}

int fw_ipc_directory_read_(const void *base, const struct fw_ipc_plan_ *plan, uint32_t index,
                           struct fw_ipc_entry_ *entry)
{
    const struct fw_ipc_entry_ *there = entries_of(base, plan) + index;
    const fw_word_ *from = (const fw_word_ *)there;
    fw_word_ *to = (fw_word_ *)entry;
    /* F:ipc-dir-reads-first */
    uint32_t state = fw_load32_acquire(&there->state); /* pairs with enter: DIR1 */

    if (state == 0)
        return ENOENT;
    for (unsigned i = 1; i < sizeof *entry / sizeof *to; i++)
        to[i] = fw_load64_relaxed(from + i);
    entry->state = state;
    entry->spare = 0;
    return is_sound(entry, plan) ? 0 : EUCLEAN;
}

int fw_ipc_directory_find_(const void *base, const struct fw_ipc_plan_ *plan, const char *name,
                           struct fw_ipc_entry_ *entry)
{
    int result = ENOENT;

    for (uint32_t i = 0; i < plan->entry_count; i++) {
        int error = fw_ipc_directory_read_(base, plan, i, entry);
        if (error == 0 && strcmp(entry->name, name) == 0) /* F:ipc-dir-stale-find */
            return 0;
        if (error == EUCLEAN)
            result = EUCLEAN;
    }
    return result;
}

static uint64_t aligned(uint64_t n)
{
    return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* DIR4 */
static void clear(char *base, uint64_t at, uint64_t size)
{
    uint64_t dirty_to = fw_load64_relaxed(&((struct fw_ipc_head_ *)base)->dirty_to);

    if (dirty_to > at)
        /* F:ipc-dir-half-cleared */
        memset(base + at, 0, dirty_to - at < size ? dirty_to - at : size);
}

void fw_ipc_directory_mark_dirty_(void *base, const struct fw_ipc_entry_ *entry)
{
    struct fw_ipc_head_ *head = base;
    uint64_t end = entry->at + entry->size;

    /* F:ipc-dir-forgets-dirt */
    if (fw_load64_relaxed(&head->dirty_to) < end)
        fw_xchg64_seq_cst(&head->dirty_to, end); /* before anything that follows */
}

int fw_ipc_directory_find_space_(void *base, const struct fw_ipc_plan_ *plan, uint32_t *index,
                                 struct fw_ipc_entry_ *entry)
{
    uint64_t end = plan->objects_at; /* DIR2 */
    uint32_t first_free = plan->entry_count;
    struct fw_ipc_entry_ e;

    for (uint32_t i = plan->entry_count; i-- != 0;) {
        int error = fw_ipc_directory_read_(base, plan, i, &e);
        if (error == EUCLEAN)
            return EUCLEAN;
        if (error == ENOENT)
            first_free = i;
        else if (aligned(e.at + e.size) > end) /* F:ipc-dir-first-end */
            end = aligned(e.at + e.size);      /* F:ipc-dir-unaligned */
    }
    /* F:ipc-dir-too-many */
    if (first_free == plan->entry_count || end > plan->size || entry->size > plan->size - end)
        return ENOSPC;
    clear((char *)base, end, entry->size); /* F:ipc-dir-not-cleared */
    entry->at = end;
    *index = first_free;
    return 0;
}

void fw_ipc_directory_enter_(void *base, const struct fw_ipc_plan_ *plan, uint32_t index,
                             const struct fw_ipc_entry_ *entry)
{
    struct fw_ipc_entry_ *there = entries_of(base, plan) + index;
    const fw_word_ *from = (const fw_word_ *)entry;
    fw_word_ *to = (fw_word_ *)there;

    for (unsigned i = 1; i < sizeof *entry / sizeof *to; i++) /* F:ipc-dir-state-first */
        fw_store64_relaxed(to + i, from[i]);
    fw_store32_release(&there->state, entry->state); /* free -> an object: DIR1, DIR3 */
}
