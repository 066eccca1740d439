/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_GATES_CALLS_H
#define MODEL_IPC_GATES_CALLS_H

#include <furwock/ipc/barrier.h>
#include <furwock/ipc/once.h>
#include <furwock/ipc/permits.h>
#include <furwock/ipc/sem.h>

#include "ipc_calls.h"

/* Units, barrier, once and semaphore between processes. */
struct ipc_gates_calls {
    struct ipc_ground_calls ground;
    int (*take)(fw_ipc_permits *u, uint32_t *unit, const fw_wait_policy *policy,
                const fw_deadline *deadline);
    int (*give)(fw_ipc_permits *u, uint32_t unit);
    int (*wait)(fw_ipc_barrier *b, const fw_wait_policy *policy, const fw_deadline *deadline);
    int (*join)(fw_ipc_barrier *b);
    int (*arrive)(fw_ipc_barrier *b, uint64_t *token);
    int (*await)(fw_ipc_barrier *b, uint64_t token);
    int (*leave)(fw_ipc_barrier *b);
    int (*reset)(fw_ipc_barrier *b);
    int (*call)(fw_ipc_once *o, int (*init)(void *), void *arg);
    int (*sem_init)(fw_ipc_sem *s, uint32_t value, uint32_t max);
    int (*sem_trywait)(fw_ipc_sem *s);
    int (*sem_wait)(fw_ipc_sem *s, const fw_wait_policy *policy, const fw_deadline *deadline);
    int (*sem_post_n)(fw_ipc_sem *s, uint32_t n);
};

#define ipc_gates_in_use ((const struct ipc_gates_calls *)calls_in_use[FAMILY_IPC_GATES])

#endif
