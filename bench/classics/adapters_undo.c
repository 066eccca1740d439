/* SPDX-License-Identifier: MIT */
/* A System V semaphore whose holders' deaths the kernel undoes. */
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/sem.h>

#include "bench/classics/sysv.h"

#include "bench/adapters/adapter_define.h"
#include "bench/adapters/kernel_lock.h"

static int operate(const classic_sysv *l, short change, short flags)
{
    struct sembuf operation = {
        .sem_num = l->index, .sem_op = change, .sem_flg = (short)(flags | SEM_UNDO)};

    while (semop(l->set, &operation, 1) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

static int make(classic_sysv *l)
{
    int error = classic_sysv_init(l);

    if (error != 0)
        fprintf(stderr, "sysv-undo: %s\n", classic_sysv_explain(error));
    return error;
}

static void take(classic_sysv *l)
{
    operate(l, -1, 0);
    KERNEL_LOCK_TAKEN(l);
}

static int try(classic_sysv *l)
{
    if (operate(l, -1, IPC_NOWAIT) != 0)
        return EBUSY;
    KERNEL_LOCK_TAKEN(l);
    return 0;
}

static void give(classic_sysv *l)
{
    classic_sysv handle = *l; /* read before the release, as semop reads its arguments */

    KERNEL_LOCK_GIVEN(l);
    operate(&handle, 1, 0);
}

ADAPTER_INIT(undo, classic_sysv, make(l))
ADAPTER_DESTROY(undo, classic_sysv, classic_sysv_destroy(l))
ADAPTER_CALLS(undo, classic_sysv, take(l), give(l))
ADAPTER_TRYLOCK(undo, classic_sysv, try(l))

const struct adapter adapter_sysv_undo = {
    .name = "sysv-undo",
    .about = "System V semaphore with SEM_UNDO: the kernel gives back what the dead held",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_SHARED | ADAPTER_BLOCKS | ADAPTER_FAIR | ADAPTER_FREEABLE,
    ADAPTER_TYPE(undo, classic_sysv),
    .destroy = undo_destroy_,
    .trylock = undo_trylock_,
};
