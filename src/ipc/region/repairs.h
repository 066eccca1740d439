/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_REPAIRS_H
#define FW_IPC_REPAIRS_H

#include <stdbool.h>

#include <furwock/ipc/mutex.h>

#include "ipc/region/mapping.h"

/*
 * The functions that this process has registered for locks in regions, to repair what a dead holder
 * left.  A forked child inherits them, as it inherits the regions.
 */
struct fw_ipc_repair_ {
    int (*call)(void *, const fw_ipc_death *);
    void *arg;
};

/* Registers a function for a lock; NULL takes it back.  0 or ENOMEM. */
int fw_ipc_on_death_(const void *lock, int (*call)(void *, const fw_ipc_death *), void *arg);

/* The function of a lock; false: it has none. */
bool fw_ipc_repair_of_(const void *lock, struct fw_ipc_repair_ *repair);

/* Forgets all functions for locks in the region. */
void fw_ipc_forget_repairs_(const struct fw_ipc_mapping_ *mapping);

#endif
