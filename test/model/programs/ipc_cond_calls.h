/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_COND_CALLS_H
#define MODEL_IPC_COND_CALLS_H

#include <furwock/ipc/cond.h>

#include "ipc_calls.h"

/* The condition variable between processes, and its mutex. */
struct ipc_cond_calls {
    struct ipc_ground_calls ground;
    int (*wait)(fw_ipc_cond *c, fw_ipc_mutex *m, const fw_wait_policy *policy,
                const fw_deadline *deadline);
    int (*signal)(fw_ipc_cond *c);
    int (*broadcast)(fw_ipc_cond *c);
    int (*lock)(fw_ipc_mutex *m, const fw_wait_policy *policy, const fw_deadline *deadline);
    int (*consistent)(fw_ipc_mutex *m);
    int (*unlock)(fw_ipc_mutex *m);
};

#define ipc_cond_in_use ((const struct ipc_cond_calls *)calls_in_use[FAMILY_IPC_COND])

#endif
