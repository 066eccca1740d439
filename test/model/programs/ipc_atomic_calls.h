/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_ATOMIC_CALLS_H
#define MODEL_IPC_ATOMIC_CALLS_H

#include "atomic_calls.h"
#include "robust_lock.h"

/* The generic atomics between processes: their objects, their lock, and how a table is made. */
struct ipc_atomic_calls {
    struct atomic_calls objects; /* without a lock, and without the child of a fork */
    enum fw_robust_how_ (*lock)(uint32_t *word, struct fw_robust_ *r, unsigned naps);
    void (*unlock)(uint32_t *word, const struct fw_robust_ *r);
    int (*create)(void *base, size_t size, size_t largest);
    int (*join)(void *base, size_t size);
    int (*leave)(void *base);
};

#define ipc_atomic_in_use ((const struct ipc_atomic_calls *)calls_in_use[FAMILY_IPC_ATOMIC])

#endif
