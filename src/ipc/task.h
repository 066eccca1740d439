/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_TASK_H
#define FW_IPC_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>
#include <furwock/ipc/cond.h>
#include <furwock/ipc/mutex.h>
#include <furwock/ipc/permits.h>

#include "ipc/region/agent.h"
#include "ipc/region/layout.h"
#include "ipc/region/participant.h"
#include "sys/thread.h"

/*
 * Locks that tasks hold (furwock/ipc/await.h): the holder that a word names is the agent of the
 * task's process, and beside it the word of a mutex or a permit says which task, as far as 14 bits
 * can: never 0, which a thread that holds for itself has there.  They are for misuse to be found,
 * and decide nothing that concerns other processes.  (Read-write locks: rwlock_task.h.)
 *
 *   ITSK1  A word that names an agent is changed by threads of its process only, and by that task's
 *          release only (IMU1).
 *   ITSK2  From one task of a process to another the word goes in one compare-and-swap, in which
 *          its holder stays the same: others see no change but in those bits.
 */
enum { FW_IPC_TASK_SHIFT = 16, FW_IPC_TASKS = (1 << 14) - 1 };

/* Of a task, or of a thread that acts for itself in the agent's name. */
static inline uint64_t fw_ipc_task_bits_(uint32_t task)
{
    return (uint64_t)((task >> FW_ID_SHIFT) % FW_IPC_TASKS + 1) << FW_IPC_TASK_SHIFT;
}

static inline uint64_t fw_ipc_task_of_(uint64_t word)
{
    return word & FW_IPC_TASK;
}

/* False: a task stands beside a holder that keeps nothing for tasks. */
static inline bool fw_ipc_task_is_possible_(const struct fw_ipc_mapping_ *mapping, uint64_t word)
{
    const struct fw_ipc_participant_ *m;

    if (fw_ipc_task_of_(word) == 0)
        return true;
    m = fw_ipc_participant_of_(mapping, word);
    return m != NULL && fw_load32_relaxed(&m->waits_how) == FW_IPC_AGENT;
}

/* The life of the holder of such a word. */
static inline enum fw_ipc_life fw_ipc_task_life_(const struct fw_ipc_mapping_ *mapping,
                                                 uint64_t word, enum fw_ipc_life life)
{
    if (life == FW_IPC_ALIVE && !fw_ipc_task_is_possible_(mapping, word)) /* or it has just died */
        return fw_ipc_life_(mapping, word) == FW_IPC_ALIVE ? FW_IPC_CORRUPT : FW_IPC_DEAD;
    return life;
}

/* --- The mutex, for the agent (mutex.c) ------------------------------------------------------ */

/*
 * Tries to take it.  `bits`: the task's, and FW_IPC_WAITERS if one may sleep.  Makes no system
 * calls, except for what the repair of a dead holder's data does.
 *   0, EOWNERDEAD      taken
 *   EBUSY              the holder may live; *now is the word as it was read
 *   ENOTRECOVERABLE, EUCLEAN
 */
int fw_ipc_mutex_attempt_(fw_ipc_mutex *m, const struct fw_ipc_me_ *agent, uint64_t bits,
                          uint64_t *now);

/*
 * The word is `now`, of a living holder: says that one sleeps.  True: *now has W.  False: *now is
 * the word as it has changed meanwhile.
 */
bool fw_ipc_mutex_announce_(fw_ipc_mutex *m, uint64_t *now);

/* A task that holds it, sound, gives it to another one of this process: ITSK2. */
void fw_ipc_mutex_pass_(fw_ipc_mutex *m, const struct fw_ipc_me_ *agent, uint64_t bits);

/*
 * A task that has taken it from a dead holder, and has not been told so, gives it back as it was:
 * the next one to take it is told.
 */
int fw_ipc_mutex_restore_(fw_ipc_mutex *m, uint32_t task, uint64_t dead);

/* As fw_ipc_mutex_unlock and so on, for that task. */
int fw_ipc_mutex_unlock_as_(fw_ipc_mutex *m, uint32_t task);
int fw_ipc_mutex_consistent_as_(fw_ipc_mutex *m, uint32_t task);

/* Does it hold it?  0, EPERM, EINVAL. */
int fw_ipc_mutex_check_holder_(const fw_ipc_mutex *m, uint32_t task);

/* --- Permits, for the agent (permits.c) ------------------------------------------------------ */

/* The holders of permits: at most `most` of them, others in each round. */
struct fw_ipc_permit_holders_ {
    uint32_t n, most;
    uint64_t *of;
    bool is_partial; /* there are more */
};

/*
 * Tries to take one.
 *   0                it is the task's
 *   EOWNERDEAD       the same; *dead is the former holder
 *   EBUSY            there is none
 *   EINVAL, EUCLEAN
 */
int fw_ipc_permits_attempt_(fw_ipc_permits *u, const struct fw_ipc_me_ *agent, uint32_t task,
                            uint32_t *permit, uint64_t *dead);

/*
 * Then says that one sleeps: EBUSY: on the queue's low half while that is *queue, and these hold
 * permits.  0: one is free by now.  `asks`: the system is asked about some of the holders.  EINVAL,
 * EUCLEAN.
 */
int fw_ipc_permits_announce_(fw_ipc_permits *u, const struct fw_ipc_me_ *agent, bool asks,
                             uint32_t round, uint32_t *queue,
                             struct fw_ipc_permit_holders_ *holders);

/* The id of its holder; 0: nobody that lives. */
uint64_t fw_ipc_permits_holder_(const fw_ipc_permits *u, uint32_t permit);

/* Gives one back for the task: 0, EPERM.  `dead`: not 0: the next to take it is told. */
int fw_ipc_permits_give_as_(fw_ipc_permits *u, uint32_t permit, uint32_t task, uint64_t dead);
int fw_ipc_permits_post_as_(fw_ipc_permits *u, uint32_t task);

/* --- The condition variable, for tasks (cond.c) ----------------------------------------------- */

/* The task holds the mutex, and gives it up after this.  The word that it is to see changed. */
uint64_t fw_ipc_cond_announce_(fw_ipc_cond *c, const struct fw_ipc_mapping_ *mapping,
                               const fw_ipc_mutex *m);

/*
 * Of a word, and one that was read before: how many signals and broadcasts there were since; was
 * one of them a turn, with which all waits that began before are over (ICV7)?  Was a sleeper moved?
 */
uint32_t fw_ipc_cond_signals_(uint64_t before, uint64_t now);
bool fw_ipc_cond_was_turn_(uint64_t before, uint64_t now);
bool fw_ipc_cond_were_moves_(uint64_t before, uint64_t now);

/* Says that one sleeps on the word.  False: *now is another number. */
bool fw_ipc_cond_announce_sleep_(fw_ipc_cond *c, uint64_t *now);

/* Its mutex, as far as that can be believed; NULL. */
fw_ipc_mutex *fw_ipc_cond_mutex_(const fw_ipc_cond *c, const struct fw_ipc_mapping_ *mapping);

#endif
