/* SPDX-License-Identifier: MIT */
/* furwock/ipc/sem.h, permits.h and barrier.h: between processes, in a region. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include <furwock/ipc/barrier.h>
#include <furwock/ipc/permits.h>
#include <furwock/ipc/sem.h>

#include "bench/adapters/sync_adapter_define.h"
#include "measure/deadline.h"

enum { IPC_FLAGS = ADAPTER_SHARED | ADAPTER_REGION | ADAPTER_BLOCKS | ADAPTER_SPINS };

/* --- Semaphore -------------------------------------------------------------------------------- */

ADAPTER_INIT(sem, fw_ipc_sem, fw_ipc_sem_init(l, 0, FW_IPC_SEM_MAX))
ADAPTER_INIT(sem_full, fw_ipc_sem, fw_ipc_sem_init(l, 3, 3))
SEM_CALLS(sem, fw_ipc_sem, (void)!fw_ipc_sem_wait(l), fw_ipc_sem_trywait(l), fw_ipc_sem_post(l),
          fw_ipc_sem_value(l))
ADAPTER_UNTIL(sem_timedwait_, fw_ipc_sem, fw_ipc_sem_timedwait(l, DEADLINE(at)))

static int sem_post_n_(void *s, uint32_t n)
{
    return fw_ipc_sem_post_n(s, n);
}

const struct sem_adapter sem_adapter_furwock_ipc = {
    .name = "furwock-ipc",
    .about = "fw_ipc_sem: between processes",
    .family = FAMILY_FURWOCK,
    .flags = IPC_FLAGS,
    ADAPTER_OBJECT(fw_ipc_sem, sem_init_),
    SEM_MEMBERS(sem),
    .timedwait = sem_timedwait_,
    .post_n = sem_post_n_,
};

/* --- Permits: who takes one gives it back, so they are a lock --------------------------------- */

struct ipc_permit {
    fw_ipc_permits permits;
    uint64_t permit;
};

ADAPTER_INIT(permit, struct ipc_permit, fw_ipc_permits_init(&l->permits, 1))
ADAPTER_CALLS(permit, struct ipc_permit, (void)!fw_ipc_permits_wait(&l->permits),
              (void)fw_ipc_permits_post(&l->permits))
ADAPTER_TRYLOCK(permit, struct ipc_permit, fw_ipc_permits_trywait(&l->permits))
ADAPTER_TIMEDLOCK(permit, struct ipc_permit, fw_ipc_permits_timedwait(&l->permits, DEADLINE(at)))

const struct adapter adapter_furwock_ipc_permit = {
    .name = "furwock-ipc-permit",
    .about = "fw_ipc_permits with one permit: between processes, recovered from a dead holder",
    .family = FAMILY_FURWOCK,
    .flags = IPC_FLAGS,
    ADAPTER_TYPE(permit, struct ipc_permit),
    .trylock = permit_trylock_,
    .timedlock = permit_timedlock_,
};

/* --- Barrier ---------------------------------------------------------------------------------- */

enum { PARTIES_MOST = 128 };

struct ipc_barrier {
    fw_ipc_barrier barrier;
    uint64_t places[PARTIES_MOST];
};

static int ipc_barrier_make(struct ipc_barrier *b, unsigned parties)
{
    if (parties > PARTIES_MOST)
        return ENOSPC;
    return fw_ipc_barrier_init(&b->barrier, parties, FW_IPC_BARRIER_FAIL);
}

/*
 * Tasks that are through end: to those who use the barrier after them, they are dead parties; or,
 * until the kernel says so, which comes after they were joined, parties that have all places.
 */
static bool ipc_barrier_meet(struct ipc_barrier *b)
{
    int error;

    while ((error = fw_ipc_barrier_wait(&b->barrier)) == EOWNERDEAD || error == EBUSY) {
        if (error == EBUSY)
            sched_yield();
        else
            fw_ipc_barrier_reset(&b->barrier);
    }
    if (error > 0)
        abort();
    return error == FW_IPC_BARRIER_SERIAL;
}

BARRIER_INIT(barrier, struct ipc_barrier, ipc_barrier_make(l, parties))
BARRIER_CALLS(barrier, struct ipc_barrier, ipc_barrier_meet(l))

const struct barrier_adapter barrier_adapter_furwock_ipc = {
    .name = "furwock-ipc",
    .about = "fw_ipc_barrier: between processes, fails when a party dies",
    .family = FAMILY_FURWOCK,
    .flags = IPC_FLAGS,
    ADAPTER_OBJECT(struct ipc_barrier, barrier_init_),
    BARRIER_MEMBERS(barrier),
};
