/* SPDX-License-Identifier: MIT */
/*
 * The entries of slots in their threads' robust lists.  Contract: participant.h.
 *
 * A process that can write to a region can make up entries there, and lead the list past others.
 * So the process keeps what is true of the slots (mapping.h), and the rest is taken out of the list
 * by what lies in memory of its own.
 */
#include "ipc/region/participant.h"
#include "sys/robust.h"

/* The region in which any of these bytes lie. */
static const struct fw_ipc_mapping_ *mapping_of(uintptr_t begin, size_t size)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_((const void *)begin);

    return mapping != NULL ? mapping : fw_ipc_mapping_of_((const void *)(begin + size - 1));
}

/* participant_count: it lies in no slot. */
static uint32_t slot_of(const struct fw_ipc_mapping_ *mapping, uintptr_t at)
{
    uintptr_t slot = (at - (uintptr_t)mapping->participants) / sizeof *mapping->participants;

    return slot < mapping->participant_count ? (uint32_t)slot : mapping->participant_count;
}

/* May the calling thread's list lead there when it has left the slot `left`?  To its slots only. */
static bool may_lead_to(uintptr_t begin, size_t size, const void *left)
{
    const struct fw_ipc_mapping_ *mapping = mapping_of(begin, size);
    const struct fw_ipc_participant_ *m;
    uint32_t slot;

    if (mapping == NULL)
        return true;
    slot = slot_of(mapping, begin);
    if (slot == mapping->participant_count)
        return false;
    m = &mapping->participants[slot];
    return m != left && begin >= (uintptr_t)m->list_ &&
           begin + size <= (uintptr_t)m->list_ + sizeof m->list_ &&
           fw_ipc_slot_thread_(mapping, slot) == fw_robust_thread_.id;
}

static uintptr_t *behind(uintptr_t entry)
{
    static uintptr_t of_no_slot;
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_((const void *)entry);
    uint32_t slot;

    if (mapping == NULL)
        return NULL;
    slot = slot_of(mapping, entry);
    return slot != mapping->participant_count ? &mapping->own_slots[slot].behind : &of_no_slot;
}

bool fw_ipc_list_leave_(struct fw_ipc_participant_ *m)
{
    const struct fw_robust_rule_ rule = {may_lead_to, behind, m};

    return fw_robust_unlink_from_((uint32_t *)(void *)&m->life, &rule);
}
