/* SPDX-License-Identifier: MIT */
#include "sysv.h"

#include <errno.h>
#include <sys/ipc.h>
#include <sys/sem.h>

#include "sys/panic.h"
#include "sysv_pool.h"

/* Origin, states and what was adapted: sysv.h.  Where the semaphores come from: sysv_pool.c. */

/* The caller has to declare it, says semctl(2). */
union semun {
    int val;
    struct semid_ds *buf;
    unsigned short *array;
};

static int operate(const classic_sysv *l, short change, short flags)
{
    struct sembuf operation = {.sem_num = l->index, .sem_op = change, .sem_flg = flags};
    while (semop(l->set, &operation, 1) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

int classic_sysv_init(classic_sysv *l)
{
    int error = sysv_pool_take(&l->set, &l->index);
    if (error != 0)
        return error;
    union semun one = {.val = 1};
    if (semctl(l->set, l->index, SETVAL, one) == 0)
        return 0;
    error = errno;
    sysv_pool_give(l->set, l->index);
    return error;
}

void classic_sysv_destroy(classic_sysv *l)
{
    sysv_pool_give(l->set, l->index);
}

const char *classic_sysv_explain(int error)
{
    switch (error) {
    case ENOSPC:
        return "no more System V semaphores: the limits are in /proc/sys/kernel/sem, "
               "and ipcs -s shows who has them";
    case ENOSYS:
        return "this kernel has no System V semaphores";
    case EPIPE:
        return "the process that keeps the System V semaphores is gone";
    default:
        return "cannot start the process that keeps the System V semaphores";
    }
}

int classic_sysv_trylock(classic_sysv *l)
{
    int error = operate(l, -1, IPC_NOWAIT); /* 1 -> 0 */
    if (error == EAGAIN)
        return EBUSY;
    if (error != 0)
        fw_panic_errno_("trylock of a System V semaphore", error);
    return 0;
}

void classic_sysv_lock(classic_sysv *l)
{
    int error = operate(l, -1, 0); /* 1 -> 0 */
    if (error != 0)
        fw_panic_errno_("lock of a System V semaphore", error);
}

void classic_sysv_unlock(classic_sysv *l)
{
    int error = operate(l, 1, 0); /* 0 -> 1 */
    if (error != 0)
        fw_panic_errno_("unlock of a System V semaphore", error);
}
