/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_JOURNAL_CALLS_H
#define MODEL_IPC_JOURNAL_CALLS_H

#include <furwock/ipc/journal.h>

#include "ipc_calls.h"

/* The journal, and a mutex that has one. */
struct ipc_journal_calls {
    struct ipc_ground_calls ground;
    int (*record)(fw_ipc_journal *j, const void *p, size_t n);
    int (*lock)(fw_ipc_mutex *m, const fw_wait_policy *policy, const fw_deadline *deadline);
    int (*unlock)(fw_ipc_mutex *m);
    int (*consistent)(fw_ipc_mutex *m);
    int (*attach)(fw_ipc_mutex *m, fw_ipc_journal *j);
    int (*commit)(fw_ipc_journal *j);
};

#define ipc_journal_in_use ((const struct ipc_journal_calls *)calls_in_use[FAMILY_IPC_JOURNAL])

#endif
