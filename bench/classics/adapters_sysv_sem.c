/* SPDX-License-Identifier: MIT */
/*
 * A System V semaphore with SEM_UNDO, as a counting semaphore.  Not between processes: the kernel
 * takes back, at the end of a process, all that it has changed, so units that it has posted for
 * others go with it.
 */
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/sem.h>

#include "bench/classics/sysv.h"

#include "bench/adapters/kernel_lock.h"
#include "bench/adapters/sync_adapter_define.h"

enum { PERMITS_MOST = 32767 }; /* SEMVMX: what the kernel takes */

/* `at` NULL: until it is done. */
static int operate(const classic_sysv *l, short change, short flags, const struct timespec *at)
{
    struct sembuf operation = {
        .sem_num = l->index, .sem_op = change, .sem_flg = (short)(flags | SEM_UNDO)};

    for (;;) {
        struct timespec left = {0};
        if (at != NULL) {
            struct timespec now;
            clock_gettime(CLOCK_MONOTONIC, &now);
            left.tv_sec = at->tv_sec - now.tv_sec - (at->tv_nsec < now.tv_nsec);
            left.tv_nsec = at->tv_nsec - now.tv_nsec + (at->tv_nsec < now.tv_nsec) * 1000000000L;
            if (left.tv_sec < 0)
                left = (struct timespec){0};
        }
        if (semtimedop(l->set, &operation, 1, at != NULL ? &left : NULL) == 0)
            return 0;
        if (errno != EINTR)
            return errno;
    }
}

/* With that number of units; without undo, for they are nobody's. */
static int make(classic_sysv *l, int units)
{
    union {
        int value;
        void *spare;
    } argument = {units};
    int error = classic_sysv_init(l);

    if (error != 0)
        fprintf(stderr, "sysv-undo: %s\n", classic_sysv_explain(error));
    else if (semctl(l->set, l->index, SETVAL, argument) != 0)
        error = errno;
    return error;
}

static int take(classic_sysv *l, short flags, const struct timespec *at)
{
    int error = operate(l, -1, flags, at);

    if (error == 0)
        KERNEL_LOCK_TAKEN(l);
    return error;
}

static int give(classic_sysv *l)
{
    classic_sysv handle = *l; /* read before the post, as semop reads its arguments */

    KERNEL_LOCK_GIVEN(l);
    return operate(&handle, 1, 0, NULL) == 0 ? 0 : EOVERFLOW;
}

static uint32_t value_of(const classic_sysv *l)
{
    int value = semctl(l->set, l->index, GETVAL);

    return value > 0 ? (uint32_t)value : 0;
}

ADAPTER_INIT(undo, classic_sysv, make(l, 0))
ADAPTER_INIT(undo_full, classic_sysv, make(l, PERMITS_MOST))
ADAPTER_DESTROY(undo, classic_sysv, classic_sysv_destroy(l))
SEM_CALLS(undo, classic_sysv, take(l, 0, NULL), take(l, IPC_NOWAIT, NULL) == 0 ? 0 : EAGAIN,
          give(l), value_of(l))
ADAPTER_UNTIL(undo_timedwait_, classic_sysv, take(l, 0, at) == 0 ? 0 : ETIMEDOUT)

const struct sem_adapter sem_adapter_sysv_undo = {
    .name = "sysv-undo",
    .about = "System V semaphore with SEM_UNDO: what a process took comes back when it dies",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS,
    ADAPTER_OBJECT(classic_sysv, undo_init_),
    .destroy = undo_destroy_,
    SEM_MEMBERS(undo),
    .timedwait = undo_timedwait_,
};
