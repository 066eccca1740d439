/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_JOURNAL_CALLS_H
#define MODEL_IPC_JOURNAL_CALLS_H

#include <furwock/ipc/journal.h>

#include "ipc_calls.h"

/* The journal, and a mutex that has one. */
#define IPC_JOURNAL_CALLS(CALL, DATA)                       \
    DATA(struct ipc_region_calls, region, IPC_REGION_CALLS) \
    CALL(record, fw_ipc_journal_record)                     \
    CALL(lock, fw_ipc_mutex_lock_policy)                    \
    CALL(unlock, fw_ipc_mutex_unlock)                       \
    CALL(consistent, fw_ipc_mutex_consistent)               \
    CALL(attach, fw_ipc_mutex_journal)                      \
    CALL(commit, fw_ipc_journal_commit)
CALLS_TYPE(ipc_journal, IPC_JOURNAL_CALLS);

#define ipc_journal_in_use ((const struct ipc_journal_calls *)calls_in_use[FAMILY_IPC_JOURNAL])

#endif
