/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_AGENT_H
#define FW_IPC_AGENT_H

#include <stdbool.h>

#include "ipc/region/participant.h"

/*
 * The agent of a region in this process: a thread of the library's own, in whose participant slot
 * the locks of tasks are held (furwock/ipc/await.h).  A lock word names a slot, and a slot is a
 * thread's life; but a task may run in many threads, and outlive them.  The agent does nothing. It
 * takes no signals, and ends only with the process, with exec, or when the region is closed and
 * nothing uses it: so whoever finds it dead finds its tasks dead.
 *
 *   AGT1  While a task holds a lock of the region, or waits for one, its agent lives (`uses`).
 *   AGT2  The agent has the alarm pending for as long as it lives (ipc/wait.h): if the process is
 *         killed after a release and before the wake, or with a wake that one of its loops was
 *         given, a sleeper is woken by the kernel, and all of them look.
 *   AGT3  A forked child has no agent, holds nothing, and starts one of its own.
 */

/*
 * Fills in *me with the agent's registration; starts it if there is none.
 *   0; EAGAIN: no slot is free in the region, or the system refuses one more thread
 */
int fw_ipc_agent_(const struct fw_ipc_mapping_ *mapping, struct fw_ipc_me_ *me);

/* The same, but starts none: false. */
bool fw_ipc_agent_find_(const struct fw_ipc_mapping_ *mapping, struct fw_ipc_me_ *me);

/*
 * A slot has room for FW_IPC_SHARES read locks (ipc/share.h).  If the tasks of the process read
 * more locks than that at a time, there are more agents; the n-th, from 0, which is the one above.
 *   0; EAGAIN: as above, or n is FW_AGENTS_MAX_
 */
enum { FW_AGENTS_MAX_ = 64 };
int fw_ipc_agent_nth_(const struct fw_ipc_mapping_ *mapping, unsigned n, struct fw_ipc_me_ *me);

/* The same, but starts none: false. */
bool fw_ipc_agent_find_nth_(const struct fw_ipc_mapping_ *mapping, unsigned n,
                            struct fw_ipc_me_ *me);

/* A task begins to wait or to hold, or has ended to: AGT1. */
void fw_ipc_agent_use_(const struct fw_ipc_mapping_ *mapping);
void fw_ipc_agent_unuse_(const struct fw_ipc_mapping_ *mapping);

/* The region is being closed: ends the agent, unless something uses it. */
void fw_ipc_agent_stop_(const struct fw_ipc_mapping_ *mapping);

/*
 * What a task's release asks first, when its word says that somebody waits: may the lock go to
 * another task of this process?  True: it has gone there.  NULL: no task has ever waited.
 */
extern bool (*fw_ipc_hand_over_hook_)(void *lock, const struct fw_ipc_me_ *agent);

/*
 * Which task of this process holds the lock, exactly: 0: not known (the table has a place for each
 * of many locks, and forgets).  Noted by whoever takes it, before it passes it on, and taken back
 * before it is released: so a task that is named holds it.
 */
void fw_ipc_agent_note_(const void *lock, uint32_t task);
uint32_t fw_ipc_agent_names_(const void *lock);

#endif
