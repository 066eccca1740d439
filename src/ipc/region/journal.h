/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_JOURNAL_H
#define FW_IPC_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>
#include <furwock/ipc/journal.h>

#include "ipc/region/mapping.h"

/*
 * The journal that `lock` names in its journal_ word, for the lock's holder.  `offset` may be
 * anything: it was read from the region.  Contract of the journal: furwock/ipc/journal.h.
 *
 *   0         the data are as they were before the first change that was not committed (undo); the
 *             changes stay (commit).  The journal is empty
 *   EUCLEAN   there is no journal, or it has been written over: what came after the first corrupt
 *             record is undone
 *   ENOENT    it is not this lock's: a thread has died while it attached or detached it, and the
 *             name can be cleared (undo only; commit: EUCLEAN, since an undo came before it)
 *
 * Both may be killed at any instruction, and be done again by the next holder.
 */
int fw_ipc_journal_undo_at_(const struct fw_ipc_mapping_ *mapping, uint64_t offset,
                            const void *lock);
int fw_ipc_journal_commit_at_(const struct fw_ipc_mapping_ *mapping, uint64_t offset,
                              const void *lock);

/*
 * Makes the journal (NULL: none) that of the lock of `size` bytes (at most 255), which has this
 * owner history and which the caller holds: 0, EINVAL, EBUSY, EUCLEAN as for fw_ipc_mutex_journal.
 */
int fw_ipc_journal_attach_(const struct fw_ipc_mapping_ *mapping, const void *lock, size_t size,
                           fw_ipc_history *history, const fw_ipc_journal *j);

/* Was it made with this capacity (0: with any)? */
static inline bool fw_ipc_journal_has_(const fw_ipc_journal *j, size_t capacity)
{
    uint64_t there = fw_load64_relaxed(&j->capacity_);

    return capacity == 0 ? there != 0 : there == (capacity + 7) / 8 * 8;
}

#endif
