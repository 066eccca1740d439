/* SPDX-License-Identifier: MIT */
#include "ipc_member_calls.h"

extern const struct ipc_member_calls CALLS;

const struct ipc_member_calls CALLS = {
    .ground = IPC_GROUND_CALLS,
    .life = fw_ipc_life_,
    .life_slow = fw_ipc_life_slow_,
    .ids = fw_ipc_ids_,
    .has_multithreaded = fw_ipc_has_other_members_,
};
