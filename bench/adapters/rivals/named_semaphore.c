/* SPDX-License-Identifier: MIT */
/* A named POSIX semaphore of one unit, used as a lock. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "bench/adapters/adapter_define.h"
#include "posix_sem.h"

/* Forked tasks have it at the same address.  Its name goes at once, so that nothing is left. */
struct named {
    sem_t *sem;
};

static int make(struct named *n)
{
    char name[64];

    snprintf(name, sizeof name, "/furwock-adapter-%ld-%p", (long)getpid(), (void *)n);
    n->sem = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
    if (n->sem == SEM_FAILED)
        return errno;
    sem_unlink(name);
    return 0;
}

ADAPTER_INIT(named, struct named, make(l))
ADAPTER_DESTROY(named, struct named, sem_close(l->sem))
ADAPTER_CALLS(named, struct named, posix_sem_down(l->sem), sem_post(l->sem))
ADAPTER_TRYLOCK(named, struct named, sem_trywait(l->sem) == 0 ? 0 : EBUSY)

#ifdef __SANITIZE_THREAD__
#define named_timedlock_ NULL
#else
ADAPTER_TIMEDLOCK(named, struct named, posix_sem_down_until(l->sem, at))
#endif

const struct adapter adapter_sem_named = {
    .name = "sem-named",
    .about = "named semaphore of the C library (sem_open), with one unit",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_SHARED | ADAPTER_BLOCKS,
    ADAPTER_TYPE(named, struct named),
    .destroy = named_destroy_,
    .trylock = named_trylock_,
    .timedlock = named_timedlock_,
};
