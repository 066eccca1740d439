/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_ATOMIC_CALLS_H
#define MODEL_IPC_ATOMIC_CALLS_H

#include <furwock/ipc/atomic.h>

#include "atomic_calls.h"
#include "object.h"
#include "robust_lock.h"
#include "subject/ipc_object.h"

/* The generic atomics between processes: their objects, their lock, and how a table is made. */
#define IPC_ATOMIC_CALLS(CALL, DATA)                        \
    DATA(struct atomic_calls, objects,                      \
         {.load = fw_object_load_,                          \
          .store = fw_object_store_,                        \
          .exchange = fw_object_exchange_,                  \
          .compare_exchange = fw_object_compare_exchange_}) \
    CALL(lock, fw_robust_lock_)                             \
    CALL(unlock, fw_robust_unlock_)                         \
    CALL(create, fw_ipc_atomic_create)                      \
    CALL(join, fw_ipc_atomic_join)                          \
    CALL(leave, fw_ipc_atomic_leave)
CALLS_OF(ipc_atomic, IPC_ATOMIC);

#endif
