/* SPDX-License-Identifier: MIT */
/* fw_await_ipc_sem.  Contract: furwock/ipc/await.h; the semaphore: ipc/sem.c. */
#include <furwock/ipc/await.h>

#include <errno.h>

#include "await/region.h"
#include "ipc/sem.h"

static int attempt(fw_await *op, struct fw_look_ *look)
{
    fw_ipc_sem *s = (fw_ipc_sem *)op->object_;
    int error = fw_ipc_sem_attempt_(s, &look->expected);

    look->word = (const uint32_t *)(const void *)&s->word_;
    return error;
}

static void give_back(fw_await *op)
{
    fw_ipc_sem_post((fw_ipc_sem *)op->object_); /* F:ipc-await-keeps-unit */
}

const struct fw_target_ fw_target_sem_ = {
    .attempt = attempt, .give_back = give_back, .queue = FW_TARGET_SEM_};

int fw_await_ipc_sem(fw_await *op, fw_ipc_sem *s, const fw_deadline *deadline)
{
    return fw_region_submit_(op, FW_TARGET_SEM_, s, deadline);
}
