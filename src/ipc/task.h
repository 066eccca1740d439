/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_TASK_H
#define FW_IPC_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/ipc/mutex.h>

#include "ipc/region/keeper.h"
#include "ipc/region/layout.h"
#include "sys/thread.h"

/*
 * Locks that tasks hold (furwock/ipc/await.h): the holder that a word names is the keeper of the
 * task's process, and beside it the mutex's word says which task, as far as 14 bits can: never 0,
 * which a thread that holds for itself has there.  They are for misuse to be found, and decide
 * nothing that concerns other processes.
 *
 *   ITSK1  A word that names a keeper is changed by threads of its process only, and by that task's
 *          release only (IMU1).
 *   ITSK2  From one task of a process to another the word goes in one compare-and-swap, in which
 *          its holder stays the same: others see no change but in those bits.
 */
enum { FW_IPC_TASK_SHIFT = 16, FW_IPC_TASKS = (1 << 14) - 1 };

/* Of a task, or of a thread that acts for itself in the keeper's name. */
static inline uint64_t fw_ipc_task_bits_(uint32_t task)
{
    return (uint64_t)((task >> FW_ID_SHIFT) % FW_IPC_TASKS + 1) << FW_IPC_TASK_SHIFT;
}

/* --- The mutex, for the keeper (mutex.c) ------------------------------------------------------ */

/*
 * Tries to take it.  `bits`: the task's, and FW_IPC_WAITERS if one may sleep.  Makes no system
 * calls, but for what the repair of a dead holder's data does.
 *   0, EOWNERDEAD      taken
 *   EBUSY              the holder may live; *now is the word as it was read
 *   ENOTRECOVERABLE, EUCLEAN
 */
int fw_ipc_mutex_attempt_(fw_ipc_mutex *m, const struct fw_ipc_me_ *keeper, uint64_t bits,
                          uint64_t *now);

/*
 * The word is `now`, of a living holder: says that one sleeps.  True: *now has W.  False: *now is
 * the word as it has changed meanwhile.
 */
bool fw_ipc_mutex_announce_(fw_ipc_mutex *m, uint64_t *now);

/* A task that holds it, sound, gives it to another one of this process: ITSK2. */
void fw_ipc_mutex_pass_(fw_ipc_mutex *m, const struct fw_ipc_me_ *keeper, uint64_t bits);

/*
 * A task that has taken it from a dead holder, and has not been told so, gives it back as it was:
 * the next one to take it is told.
 */
int fw_ipc_mutex_restore_(fw_ipc_mutex *m, uint32_t task, uint64_t dead);

/* As fw_ipc_mutex_unlock and so on, for that task. */
int fw_ipc_mutex_unlock_as_(fw_ipc_mutex *m, uint32_t task);
int fw_ipc_mutex_consistent_as_(fw_ipc_mutex *m, uint32_t task);

#endif
