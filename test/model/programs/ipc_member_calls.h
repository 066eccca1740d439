/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_MEMBER_CALLS_H
#define MODEL_IPC_MEMBER_CALLS_H

#include "ipc_calls.h"

/* The members of a region: they come and leave (ground), and are looked at. */
struct ipc_member_calls {
    struct ipc_ground_calls ground;
    enum fw_ipc_life (*life)(const struct fw_ipc_mapping_ *mapping, uint64_t holder);
    enum fw_ipc_life (*life_slow)(const struct fw_ipc_mapping_ *mapping, uint64_t holder);
    uint64_t (*ids)(const struct fw_ipc_mapping_ *mapping, uint64_t holder);
    bool (*has_multithreaded)(const struct fw_ipc_mapping_ *mapping);
};

#define ipc_member_in_use ((const struct ipc_member_calls *)calls_in_use[FAMILY_IPC_MEMBER])

#endif
