/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_MEMBER_CALLS_H
#define MODEL_IPC_MEMBER_CALLS_H

#include "ipc_calls.h"

/* The members of a region: they come and leave (region), and are looked at. */
#define IPC_MEMBER_CALLS(CALL, DATA)                        \
    DATA(struct ipc_region_calls, region, IPC_REGION_CALLS) \
    CALL(life, fw_ipc_life_)                                \
    CALL(life_slow, fw_ipc_life_slow_)                      \
    CALL(ids, fw_ipc_ids_)                                  \
    CALL(has_multithreaded, fw_ipc_has_other_members_)
CALLS_TYPE(ipc_member, IPC_MEMBER_CALLS);

#define ipc_member_in_use ((const struct ipc_member_calls *)calls_in_use[FAMILY_IPC_MEMBER])

#endif
