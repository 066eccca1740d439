/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_MUTEX_CALLS_H
#define MODEL_IPC_MUTEX_CALLS_H

#include <furwock/ipc/mutex.h>

#include "ipc_calls.h"

struct ipc_mutex_calls {
    struct ipc_ground_calls ground;
    int (*trylock)(fw_ipc_mutex *m);
    int (*lock)(fw_ipc_mutex *m, const fw_wait_policy *policy, const fw_deadline *deadline);
    int (*unlock)(fw_ipc_mutex *m);
    int (*consistent)(fw_ipc_mutex *m);
    int (*death)(const fw_ipc_mutex *m, fw_ipc_death *death);
    int (*on_death)(fw_ipc_mutex *m, int (*repair)(void *arg, const fw_ipc_death *), void *arg);
};

#define ipc_mutex_in_use ((const struct ipc_mutex_calls *)calls_in_use[FAMILY_IPC_MUTEX])

#endif
