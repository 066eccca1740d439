/* SPDX-License-Identifier: MIT */
/* The agents of the process.  Contract: agent.h; how they begin and end: agent_start.c. */
#include "ipc/region/agent.h"

#include <stddef.h>

#include <furwock/bits/atomic.h>

#include "ipc/region/agent_table.h"

struct fw_agent_ fw_ipc_agents_[FW_RANGES];
bool (*fw_ipc_hand_over_hook_)(void *lock, const struct fw_ipc_me_ *agent);

bool fw_ipc_agent_find_nth_(const struct fw_ipc_mapping_ *mapping, unsigned n,
                            struct fw_ipc_me_ *me)
{
    const struct fw_agent_ *k = &fw_ipc_agents_[mapping->index];

    for (; fw_agent_is_here_(k, mapping); n--) {
        if (n == 0) {
            *me = k->me;
            return true;
        }
        k = __atomic_load_n(&k->next, __ATOMIC_ACQUIRE);
        if (k == NULL)
            break;
    }
    return false;
}

bool fw_ipc_agent_find_(const struct fw_ipc_mapping_ *mapping, struct fw_ipc_me_ *me)
{
    return fw_ipc_agent_find_nth_(mapping, 0, me);
}

void fw_ipc_agent_use_(const struct fw_ipc_mapping_ *mapping)
{
    fw_add32_relaxed(&fw_ipc_agents_[mapping->index].uses, 1);
}

void fw_ipc_agent_unuse_(const struct fw_ipc_mapping_ *mapping)
{
    fw_add32_release(&fw_ipc_agents_[mapping->index].uses, UINT32_MAX);
}

/* One word an entry: the lower half of the address over 8, then the task. */
enum { PLACES = 4096, PLACE_SHIFT = 52, TASK_BITS = 32, ALIGN_SHIFT = 3 };
#define HASH UINT64_C(0x9e3779b97f4a7c15) /* 2^64 by the golden ratio (Knuth, volume 3, 6.4) */

static uint64_t places[PLACES];

static uint64_t *place_of(const void *lock)
{
    return &places[(uintptr_t)lock * HASH >> PLACE_SHIFT];
}

static uint64_t tag_of(const void *lock)
{
    return (uint64_t)(uint32_t)((uintptr_t)lock >> ALIGN_SHIFT) << TASK_BITS;
}

void fw_ipc_agent_note_(const void *lock, uint32_t task)
{
    uint64_t *place = place_of(lock);

    if (task != 0)
        fw_store64_relaxed(place, tag_of(lock) | task);
    else if ((fw_load64_relaxed(place) ^ tag_of(lock)) >> TASK_BITS == 0)
        fw_store64_relaxed(place, 0);
}

uint32_t fw_ipc_agent_names_(const void *lock)
{
    uint64_t noted = fw_load64_relaxed(place_of(lock));

    return (noted ^ tag_of(lock)) >> TASK_BITS == 0 ? (uint32_t)noted : 0;
}
