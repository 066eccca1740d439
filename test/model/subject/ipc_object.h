/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_OBJECT_H
#define MODEL_IPC_OBJECT_H

/*
 * atomic/object.c is in the program twice: with the guards of a process, and with those of a
 * region, under these names.  A faulty copy has names of its own.
 */
#ifndef fw_object_load_
#include "object.h"

__typeof__(fw_object_load_) subject_ipc_load;
__typeof__(fw_object_store_) subject_ipc_store;
__typeof__(fw_object_exchange_) subject_ipc_exchange;
__typeof__(fw_object_compare_exchange_) subject_ipc_compare_exchange;

#define fw_object_load_ subject_ipc_load
#define fw_object_store_ subject_ipc_store
#define fw_object_exchange_ subject_ipc_exchange
#define fw_object_compare_exchange_ subject_ipc_compare_exchange
#endif

#endif
