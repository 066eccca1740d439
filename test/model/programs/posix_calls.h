/* SPDX-License-Identifier: MIT */
#ifndef MODEL_POSIX_CALLS_H
#define MODEL_POSIX_CALLS_H

#include <errno.h>

#include <furwock/wait.h>

#include "barrier.h"
#include "calls.h"
#include "cond_shared.h"
#include "mutex_robust.h"
#include "mutex_shared.h"
#include "mutex_type.h"
#include "rwlock_shared.h"
#include "sem_word.h"

/* What processes share of the POSIX drop-in's. */

/* The shared mutex of the POSIX drop-in, and the robust one. */
struct posix_mutex_family {
    int (*trylock)(struct fw_posix_mutex_ *m);
    int (*lock)(struct fw_posix_mutex_ *m, const fw_wait_policy *policy,
                const fw_deadline *deadline);
    int (*unlock)(struct fw_posix_mutex_ *m);
};

#define POSIX_MUTEX_CALLS(CALL, DATA)                                     \
    DATA(struct posix_mutex_family, shared,                               \
         {fw_shared_trylock_, fw_shared_lock_policy_, fw_shared_unlock_}) \
    DATA(struct posix_mutex_family, robust,                               \
         {fw_robust_trylock_, fw_robust_lock_policy_, fw_robust_unlock_})
CALLS_OF(posix_mutex, POSIX_MUTEX);

/* The condition variable that processes share in the POSIX drop-in. */
#define POSIX_COND_CALLS(CALL, DATA)     \
    CALL(wait, fw_shared_cond_wait_)     \
    CALL(signal, fw_shared_cond_signal_) \
    CALL(broadcast, fw_shared_cond_broadcast_)
CALLS_OF(posix_cond, POSIX_COND);

/* The shared semaphore of the POSIX drop-in. */
static inline int posix_sem_trywait_(struct fw_posix_sem_ *s)
{
    return fw_posix_sem_take_(s) || fw_sem_shared_take_(s) ? 0 : EAGAIN;
}

static inline int posix_sem_wait_(struct fw_posix_sem_ *s, const fw_deadline *deadline)
{
    return fw_posix_sem_take_(s) ? 0 : fw_sem_shared_wait_(s, deadline);
}

static inline int posix_sem_post_(struct fw_posix_sem_ *s)
{
    return fw_posix_sem_add_(s) || fw_sem_shared_post_(s) ? 0 : EOVERFLOW;
}

#define POSIX_SEM_CALLS(CALL, DATA)   \
    CALL(trywait, posix_sem_trywait_) \
    CALL(wait, posix_sem_wait_)       \
    CALL(post, posix_sem_post_)
CALLS_OF(posix_sem, POSIX_SEM);

/* The process-shared read-write lock of the POSIX drop-in. */
#define POSIX_RWLOCK_CALLS(CALL, DATA)           \
    CALL(init, fw_rwlock_shared_init_)           \
    CALL(try_read, fw_rwlock_shared_tryrdlock_)  \
    CALL(try_write, fw_rwlock_shared_trywrlock_) \
    CALL(read, fw_rwlock_shared_rdlock_)         \
    CALL(write, fw_rwlock_shared_wrlock_)        \
    CALL(unlock, fw_rwlock_shared_unlock_)
CALLS_OF(posix_rwlock, POSIX_RWLOCK);

/* The barrier of the POSIX drop-in. */
#define POSIX_BARRIER_CALLS(CALL, DATA)      \
    CALL(init, fw_posix_barrier_init_)       \
    CALL(wait_by, fw_posix_barrier_wait_by_) \
    CALL(destroy, fw_posix_barrier_destroy_)
CALLS_OF(posix_barrier, POSIX_BARRIER);

#endif
