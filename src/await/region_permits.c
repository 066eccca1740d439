/* SPDX-License-Identifier: MIT */
/*
 * fw_await_ipc_permits.  Contract: furwock/ipc/await.h; the permits, and IPERM1 to IPERM4:
 * ipc/permits.c.
 *
 * kept_ of an operation is the number of the permit that it has got.  If it has that from a dead
 * holder, and is dropped, the permit gets the dead one's id back, so that the next is told.
 */
#include <furwock/ipc/await.h>

#include <errno.h>
#include <stddef.h>

#include "await/region.h"
#include "ipc/task.h"
#include "sys/thread.h"

static fw_ipc_permits *permits_of(const fw_await *op)
{
    return (fw_ipc_permits *)(uintptr_t)op->object_;
}

uint32_t fw_await_ipc_permit(const fw_await *op)
{
    return (uint32_t)(uintptr_t)op->kept_;
}

static int attempt(fw_await *op, struct fw_look_ *look)
{
    struct fw_ipc_permit_holders_ holders = {.most = FW_LOOK_HOLDERS_, .of = look->holders};
    fw_ipc_permits *u = permits_of(op);
    uint32_t permit;
    uint64_t dead;
    int error;

    do {
        error = fw_ipc_permits_attempt_(u, look->agent, op->task_, &permit, &dead);
        if (error == EBUSY) /* F:ipc-await-permits-unannounced */
            error = fw_ipc_permits_announce_(u, look->agent, look->asks, look->round,
                                             &look->expected, &holders);
        else
            break;
    } while (error == 0);                                     /* one is free by now */
    fw_region_keep_dead_(op, error == EOWNERDEAD ? dead : 0); /* F:ipc-await-permits-hides-death */
    if (error == 0 || error == EOWNERDEAD)
        op->kept_ = (void *)(uintptr_t)permit;
    look->word = (const uint32_t *)(const void *)&u->queue_;
    look->n = holders.n; /* F:ipc-await-permits-unwatched */
    look->is_partial = holders.is_partial;
    return error;
}

static void give_back(fw_await *op)
{
    /* F:ipc-await-keeps-permit */
    fw_ipc_permits_give_as_(permits_of(op), fw_await_ipc_permit(op), op->task_,
                            fw_region_kept_dead_(op));
}

const struct fw_target_ fw_target_permits_ = {
    .attempt = attempt, .give_back = give_back, .is_held = true, .queue = FW_TARGET_PERMITS_};

int fw_await_ipc_permits(fw_await *op, fw_ipc_permits *u, const fw_deadline *deadline)
{
    return fw_region_submit_(op, FW_TARGET_PERMITS_, u, deadline);
}

static uint32_t owner(fw_task task)
{
    return task != 0 ? task : fw_self_();
}

int fw_task_ipc_permits_give(fw_ipc_permits *u, uint32_t permit, fw_task task)
{
    return fw_ipc_permits_give_as_(u, permit, owner(task), 0);
}

int fw_task_ipc_permits_post(fw_ipc_permits *u, fw_task task)
{
    return fw_ipc_permits_post_as_(u, owner(task));
}
