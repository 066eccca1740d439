/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_RECOVER_H
#define FW_IPC_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>
#include <furwock/ipc/mutex.h>
#include <furwock/ipc/region.h>

#include "ipc/region/participant.h"
#include "sys/clock.h"

/*
 * What mutexes and read-write locks do about holders that died.  The owner history of a lock is
 * written by its (exclusive) holder only, and by plain stores; a thread that takes the lock from a
 * dead holder finds what that one had written until then.
 */

/* The caller has just taken the lock. */
static inline void fw_ipc_history_begin_(fw_ipc_history *history, const struct fw_ipc_me_ *me)
{
    fw_store64_relaxed(&history->generation_, history->generation_ + 1); /* F:ipc-same-generation */
    if (__builtin_expect((me->flags & FW_REGION_STAMP) != 0, 0))
        fw_store64_relaxed(&history->since_, fw_clock_ns_());
}

/*
 * The caller has taken the lock from `dead`, and the word says that it is not sound.  Notes
 * which thread died (0: that is noted already), begins a new generation, then repairs by what there
 * is: the lock's journal, and the function registered for it in this process.
 *   0            repaired: the word may be declared sound
 *   EOWNERDEAD   the caller must repair (also where the journal has been written over)
 */
int fw_ipc_recover_(const struct fw_ipc_me_ *me, const void *lock, fw_ipc_history *history,
                    uint64_t dead);

/* Is there anything to repair by: a journal, or a function in this process? */
bool fw_ipc_can_recover_(const void *lock, const fw_ipc_history *history);

/* 0 or ENOENT. */
int fw_ipc_death_of_(const fw_ipc_history *history, fw_ipc_death *death);

#endif
