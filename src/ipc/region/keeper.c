/* SPDX-License-Identifier: MIT */
/* Who the keepers are.  Contract: keeper.h; how they begin and end: keeper_start.c. */
#include "ipc/region/keeper.h"

#include <furwock/bits/atomic.h>

#include "ipc/region/keeper_table.h"

struct fw_keeper_ fw_ipc_keepers_[FW_RANGES];
bool (*fw_ipc_hand_over_hook_)(void *lock, const struct fw_ipc_me_ *keeper);

bool fw_ipc_keeper_find_(const struct fw_ipc_mapping_ *mapping, struct fw_ipc_me_ *me)
{
    const struct fw_keeper_ *k = &fw_ipc_keepers_[mapping->index];

    if (!fw_keeper_is_here_(k, mapping))
        return false;
    *me = k->me;
    return true;
}

void fw_ipc_keeper_use_(const struct fw_ipc_mapping_ *mapping)
{
    fw_add32_relaxed(&fw_ipc_keepers_[mapping->index].uses, 1);
}

void fw_ipc_keeper_unuse_(const struct fw_ipc_mapping_ *mapping)
{
    fw_add32_release(&fw_ipc_keepers_[mapping->index].uses, UINT32_MAX);
}
