/* SPDX-License-Identifier: MIT */
/*
 * fw_await_ipc_mutex.  Contract: furwock/ipc/await.h; the mutex: ipc/mutex.c and ipc/task.h.
 *
 * An operation that has taken the mutex from a dead holder keeps that holder's id until it is told:
 * if it is dropped, the word gets it back (which stays dead), and so the next one to take
 * it is told.
 */
#include <furwock/ipc/await.h>

#include <errno.h>
#include <stddef.h>

#include "await/operation.h"
#include "await/region.h"
#include "ipc/region/participant.h"
#include "ipc/task.h"
#include "sys/thread.h"

/* A lock whose holder may be dead without a mark: asks the system, as a re-check does. */
static void ask(const fw_ipc_mutex *m, const struct fw_ipc_me_ *agent)
{
    uint64_t holder = fw_load64_relaxed(&m->word_) & FW_IPC_HOLDER;

    if (holder != 0 && holder != agent->id &&
        fw_ipc_participant_of_(agent->mapping, holder) != NULL)
        fw_ipc_life_slow_(agent->mapping, holder);
}

static int attempt(fw_await *op, struct fw_look_ *look)
{
    fw_ipc_mutex *m = (fw_ipc_mutex *)op->object_;
    uint64_t bits = fw_ipc_task_bits_(op->task_), now;
    int error;

    fw_region_keep_dead_(op, 0);
    if (look->asks)
        ask(m, look->agent);
    do {
        error = fw_ipc_mutex_attempt_(m, look->agent, bits | (look->was_told ? FW_IPC_WAITERS : 0),
                                      &now);
        if (error == EOWNERDEAD)
            fw_region_keep_dead_(op, now & FW_IPC_HOLDER);
        /* F:ipc-await-unannounced */
    } while (error == EBUSY && !fw_ipc_mutex_announce_(m, &now));
    if (error == 0 || error == EOWNERDEAD)
        fw_ipc_agent_note_(m, op->task_);
    look->word = (const uint32_t *)(const void *)&m->word_;
    look->expected = (uint32_t)now;
    look->n = 1;
    look->holders[0] = now & FW_IPC_HOLDER;
    return error;
}

static int check(const fw_await *op, const struct fw_ipc_me_ *agent)
{
    uint64_t now = fw_load64_relaxed(&((const fw_ipc_mutex *)op->object_)->word_);

    return (now & (FW_IPC_HOLDER | FW_IPC_TASK)) == (agent->id | fw_ipc_task_bits_(op->task_)) &&
                   fw_ipc_agent_names_(op->object_) == op->task_
               ? EDEADLK
               : 0;
}

static void give_back(fw_await *op)
{
    fw_ipc_mutex *m = (fw_ipc_mutex *)op->object_;

    if (fw_region_kept_dead_(op) != 0) /* F:ipc-await-hides-death */
        fw_ipc_mutex_restore_(m, op->task_, fw_region_kept_dead_(op));
    else
        fw_ipc_mutex_unlock_as_(m, op->task_);
}

const struct fw_target_ fw_target_mutex_ = {.attempt = attempt,
                                            .check = check,
                                            .give_back = give_back,
                                            .is_held = true,
                                            .is_mutex = true,
                                            .queue = FW_TARGET_MUTEX_};

/* --- After a condition: region_cond.c --------------------------------------------------------- */

int fw_relock_result_(const fw_await *op)
{
    return op->is_designated_ ? ETIMEDOUT : 0;
}

/* The signal that it had is another's. */
static void pass_signal_on(const fw_await *op)
{
    if (!op->is_designated_)
        fw_ipc_cond_signal(op->kept_);
}

static void give_all_back(fw_await *op)
{
    pass_signal_on(op);
    give_back(op);
}

static void relock_left(struct fw_watch_ *w, fw_await *op)
{
    (void)w;
    pass_signal_on(op);
}

const struct fw_target_ fw_target_relock_ = {.attempt = attempt,
                                             .give_back = give_all_back,
                                             .left = relock_left,
                                             .is_held = true,
                                             .is_mutex = true,
                                             .queue = FW_TARGET_MUTEX_};

int fw_await_ipc_mutex(fw_await *op, fw_ipc_mutex *m, const fw_deadline *deadline)
{
    if (fw_operation_is_busy_(op))
        return EBUSY;
    fw_region_keep_dead_(op, 0); /* it may be handed over before it is looked for */
    return fw_region_submit_(op, FW_TARGET_MUTEX_, m, deadline);
}

static uint32_t owner(fw_task task)
{
    return task != 0 ? task : fw_self_();
}

int fw_task_ipc_mutex_unlock(fw_ipc_mutex *m, fw_task task)
{
    return fw_ipc_mutex_unlock_as_(m, owner(task));
}

int fw_task_ipc_mutex_consistent(fw_ipc_mutex *m, fw_task task)
{
    return fw_ipc_mutex_consistent_as_(m, owner(task));
}
