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

#include "await/region.h"
#include "ipc/region/member.h"
#include "ipc/task.h"
#include "sys/thread.h"

/* The dead holder, in fields that the operation has no other use for. */
static void keep_dead(fw_await *op, uint64_t holder)
{
    op->urgency_ = (int32_t)(uint32_t)(holder >> 32);
    op->starves_ = (uint8_t)holder;
    op->yields_ = (uint8_t)(holder >> 8);
}

static uint64_t kept_dead(const fw_await *op)
{
    return (uint64_t)(uint32_t)op->urgency_ << 32 | (uint64_t)op->yields_ << 8 | op->starves_;
}

/* A lock whose holder may be dead without a mark: asks the system, as a re-check does. */
static void ask(const fw_ipc_mutex *m, const struct fw_ipc_me_ *keeper)
{
    uint64_t holder = fw_load64_relaxed(&m->word_) & FW_IPC_HOLDER;

    if (holder != 0 && holder != keeper->id && fw_ipc_member_of_(keeper->mapping, holder) != NULL)
        fw_ipc_life_slow_(keeper->mapping, holder);
}

static int attempt(fw_await *op, struct fw_look_ *look)
{
    fw_ipc_mutex *m = (fw_ipc_mutex *)op->object_;
    uint64_t bits = fw_ipc_task_bits_(op->task_), now;
    int error;

    keep_dead(op, 0);
    if (look->asks)
        ask(m, look->keeper);
    do {
        error = fw_ipc_mutex_attempt_(m, look->keeper, bits | (look->was_told ? FW_IPC_WAITERS : 0),
                                      &now);
        if (error == EOWNERDEAD)
            keep_dead(op, now & FW_IPC_HOLDER);
    } while (error == EBUSY && !fw_ipc_mutex_announce_(m, &now));
    if (error == 0 || error == EOWNERDEAD)
        fw_ipc_keeper_note_(m, op->task_);
    look->word = (const uint32_t *)(const void *)&m->word_;
    look->expected = (uint32_t)now;
    look->holder = now & FW_IPC_HOLDER;
    return error;
}

static int check(const fw_await *op, const struct fw_ipc_me_ *keeper)
{
    uint64_t now = fw_load64_relaxed(&((const fw_ipc_mutex *)op->object_)->word_);

    return (now & (FW_IPC_HOLDER | FW_IPC_TASK)) == (keeper->id | fw_ipc_task_bits_(op->task_)) &&
                   fw_ipc_keeper_names_(op->object_) == op->task_
               ? EDEADLK
               : 0;
}

static void give_back(fw_await *op)
{
    fw_ipc_mutex *m = (fw_ipc_mutex *)op->object_;

    if (kept_dead(op) != 0)
        fw_ipc_mutex_restore_(m, op->task_, kept_dead(op));
    else
        fw_ipc_mutex_unlock_as_(m, op->task_);
}

const struct fw_target_ fw_target_mutex_ = {
    .attempt = attempt, .check = check, .give_back = give_back, .is_held = true};

int fw_await_ipc_mutex(fw_await *op, fw_ipc_mutex *m, const fw_deadline *deadline)
{
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
