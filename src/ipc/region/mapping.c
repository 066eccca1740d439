/* SPDX-License-Identifier: MIT */
/*
 * Where this process has its regions.  Contract: mapping.h.  The table of addresses: ranges.h.
 *
 *   MAP1  A thread that finds the mapping of an address finds the other fields of that region: they
 *         are stored before the range is published, and do not change until no operation is under
 *         way there.
 *   MAP2  The epoch changes after every change of the table: what a thread remembers is forgotten.
 */
#include "ipc/region/mapping.h"

#include <furwock/bits/atomic.h>
#include <furwock/mutex.h>

#include "ipc/region/head.h"
#include "sys/fork.h"

struct fw_ipc_mapping_ fw_ipc_mappings_[FW_RANGES];
struct fw_ranges_ fw_ipc_ranges_;

/* For threads that change the table: they do so one after the other. */
static fw_mutex changing = FW_MUTEX_INIT;

/* Ends the epoch.  Its number is new in this process, and in all that it was forked from. */
static uint64_t begin_epoch(void)
{
    static uint64_t last;
    uint64_t number = fw_add64_acq_rel(&last, 1) + 1;

    fw_store64_release((fw_word_ *)(uintptr_t)(fw_life_now_ + FW_LIFE_EPOCH_), number);
    return number;
}

uint64_t fw_ipc_epoch_(void)
{
    uint64_t now = fw_load64_acquire(fw_life_now_ + FW_LIFE_EPOCH_);

    return now != 0 ? now : begin_epoch();
}

const struct fw_ipc_mapping_ *fw_ipc_mapping_of_(const void *object)
{
    uint64_t generation;
    uint32_t slot;

    do {
        slot = fw_range_find_(&fw_ipc_ranges_, object, &generation);
        if (slot == FW_RANGES)
            return NULL;
    } while (!fw_range_is_same_(&fw_ipc_ranges_, slot, generation));
    return &fw_ipc_mappings_[slot];
}

/* In a forked child nobody changes the table. */
static void after_fork(void)
{
    fw_mutex_init(&changing);
    fw_ranges_after_fork_(&fw_ipc_ranges_);
}

/* No thread has had a slot yet.  (32 pages a mapping, used as far as there are slots.) */
static struct fw_ipc_own_slot_ *no_own_slots(unsigned index, uint32_t n)
{
    static struct fw_ipc_own_slot_ own_slots[FW_RANGES][FW_IPC_PARTICIPANTS_MAX];

    for (uint32_t i = 0; i < n; i++) {
        __atomic_store_n(&own_slots[index][i].thread, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&own_slots[index][i].participant, 0, __ATOMIC_RELAXED);
    }
    return own_slots[index];
}

static void fill(struct fw_ipc_mapping_ *mapping, uint32_t index, void *base,
                 const struct fw_ipc_plan_ *plan)
{
    mapping->base = (uintptr_t)base;
    mapping->size = plan->size;
    mapping->generation++;
    mapping->head = base;
    mapping->participants =
        (struct fw_ipc_participant_ *)(void *)((char *)base + plan->participants_at);
    mapping->participant_count = plan->participant_count;
    mapping->own_slots = no_own_slots(index, plan->participant_count);
    mapping->index = index;
    mapping->flags = plan->flags;
}

int fw_ipc_mapping_add_(void *base, const struct fw_ipc_plan_ *plan,
                        const struct fw_ipc_mapping_ **mapping)
{
    static bool is_watching;
    uint32_t slot;
    int error;

    fw_mutex_lock(&changing);
    if (!is_watching)
        fw_at_fork_(after_fork);
    is_watching = true;
    error = fw_range_reserve_(&fw_ipc_ranges_, base, plan->size, &slot);
    if (error == 0) {
        fill(&fw_ipc_mappings_[slot], slot, base, plan);
        fw_range_publish_(&fw_ipc_ranges_, slot, 0, 0); /* MAP1 */
        begin_epoch();                                  /* MAP2 */
        *mapping = &fw_ipc_mappings_[slot];
    }
    fw_mutex_unlock(&changing);
    return error;
}

void fw_ipc_mapping_remove_(const struct fw_ipc_mapping_ *mapping)
{
    fw_mutex_lock(&changing);
    fw_range_remove_(&fw_ipc_ranges_, mapping->index);
    begin_epoch(); /* MAP2 */
    fw_mutex_unlock(&changing);
}
