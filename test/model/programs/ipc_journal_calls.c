/* SPDX-License-Identifier: MIT */
#include "ipc_journal_calls.h"

extern const struct ipc_journal_calls CALLS;

const struct ipc_journal_calls CALLS = {
    .ground = IPC_GROUND_CALLS,
    .record = fw_ipc_journal_record,
    .lock = fw_ipc_mutex_lock_policy,
    .unlock = fw_ipc_mutex_unlock,
    .consistent = fw_ipc_mutex_consistent,
    .attach = fw_ipc_mutex_journal,
    .commit = fw_ipc_journal_commit,
};
