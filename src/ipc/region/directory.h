/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_DIRECTORY_H
#define FW_IPC_DIRECTORY_H

#include <stdint.h>

#include "ipc/region/head.h"
#include "ipc/region/layout.h"

/*
 * Reads an entry of the region that begins at `base`, each word once; nothing is written.
 *   0         *entry is sound: a kind, a name that ends, an offset among the objects
 *   ENOENT    it is free
 *   EUCLEAN   it was written over
 */
int fw_ipc_directory_read_(const void *base, const struct fw_ipc_plan_ *plan, uint32_t index,
                           struct fw_ipc_entry_ *entry);

/* 0; ENOENT; EUCLEAN: not found, and something was written over. */
int fw_ipc_directory_find_(const void *base, const struct fw_ipc_plan_ *plan, const char *name,
                           struct fw_ipc_entry_ *entry);

/*
 * For the holder of head->naming, if the name is not there: finds space for an object of
 * entry->size bytes.  The memory is zeroes, and *index and entry->at are filled.
 *   ENOSPC, EUCLEAN
 */
int fw_ipc_directory_find_space_(void *base, const struct fw_ipc_plan_ *plan, uint32_t *index,
                                 struct fw_ipc_entry_ *entry);

/* Marks the memory of what is no object yet as dirty: it will be written. */
void fw_ipc_directory_mark_dirty_(void *base, const struct fw_ipc_entry_ *entry);

/* From now on it can be found. */
void fw_ipc_directory_enter_(void *base, const struct fw_ipc_plan_ *plan, uint32_t index,
                             const struct fw_ipc_entry_ *entry);

#endif
