/* SPDX-License-Identifier: MIT */
/* The C library's mutexes, in four of their kinds, and its spin lock. */
#include <pthread.h>

#include "bench/adapters/adapter_define.h"

static int make(pthread_mutex_t *m, bool shared, int type, int robust, int protocol)
{
    pthread_mutexattr_t attr;
    int error = pthread_mutexattr_init(&attr);

    if (error != 0)
        return error;
    error = pthread_mutexattr_settype(&attr, type);
    if (error == 0 && shared)
        error = pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    if (error == 0 && robust != PTHREAD_MUTEX_STALLED)
        error = pthread_mutexattr_setrobust(&attr, robust);
    if (error == 0 && protocol != PTHREAD_PRIO_NONE)
        error = pthread_mutexattr_setprotocol(&attr, protocol);
    if (error == 0)
        error = pthread_mutex_init(m, &attr);
    pthread_mutexattr_destroy(&attr);
    return error;
}

ADAPTER_CALLS(mutex, pthread_mutex_t, pthread_mutex_lock(l), pthread_mutex_unlock(l))
ADAPTER_TRYLOCK(mutex, pthread_mutex_t, pthread_mutex_trylock(l))

/* ThreadSanitizer does not know this call, and would report everything that it protects. */
#ifdef __SANITIZE_THREAD__
#define mutex_timedlock_ NULL
#else
ADAPTER_TIMEDLOCK(mutex, pthread_mutex_t, pthread_mutex_clocklock(l, CLOCK_MONOTONIC, at))
#endif

ADAPTER_DESTROY(mutex, pthread_mutex_t, pthread_mutex_destroy(l))

ADAPTER_INIT(normal, pthread_mutex_t,
             make(l, shared, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE))
ADAPTER_INIT(adaptive, pthread_mutex_t,
             make(l, shared, PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE))
ADAPTER_INIT(robust, pthread_mutex_t,
             make(l, shared, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE))
ADAPTER_INIT(pi, pthread_mutex_t,
             make(l, shared, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT))

#define PTHREAD_MUTEX_KIND(init_)                                                                \
    .family = FAMILY_RIVAL, .size = sizeof(pthread_mutex_t), .align = _Alignof(pthread_mutex_t), \
    .init = init_, .destroy = mutex_destroy_, .lock = mutex_lock_, .unlock = mutex_unlock_,      \
    .trylock = mutex_trylock_, .timedlock = mutex_timedlock_, .loop = mutex_loop_

const struct adapter adapter_pthread = {
    .name = "pthread",
    .about = "pthread_mutex_t of the C library, normal",
    .flags = ADAPTER_SHARED | ADAPTER_BLOCKS | ADAPTER_FREEABLE,
    PTHREAD_MUTEX_KIND(normal_init_),
};

const struct adapter adapter_pthread_adaptive = {
    .name = "pthread-adaptive",
    .about = "pthread_mutex_t of the C library, adaptive (polls a little)",
    .flags = ADAPTER_SHARED | ADAPTER_BLOCKS | ADAPTER_SPINS | ADAPTER_FREEABLE,
    PTHREAD_MUTEX_KIND(adaptive_init_),
};

const struct adapter adapter_pthread_robust = {
    .name = "pthread-robust",
    .about = "pthread_mutex_t of the C library, robust",
    .flags = ADAPTER_SHARED | ADAPTER_BLOCKS | ADAPTER_FREEABLE,
    PTHREAD_MUTEX_KIND(robust_init_),
};

/* The kernel hands it to the first waiter of the highest priority: among equals, in order. */
const struct adapter adapter_pthread_pi = {
    .name = "pthread-pi",
    .about = "pthread_mutex_t of the C library, priority inheriting",
    .flags = ADAPTER_SHARED | ADAPTER_FAIR | ADAPTER_BLOCKS | ADAPTER_FREEABLE,
    PTHREAD_MUTEX_KIND(pi_init_),
};

ADAPTER_INIT(spin, pthread_spinlock_t,
             pthread_spin_init(l, shared ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE))
ADAPTER_DESTROY(spin, pthread_spinlock_t, pthread_spin_destroy(l))
ADAPTER_CALLS(spin, pthread_spinlock_t, pthread_spin_lock(l), pthread_spin_unlock(l))
ADAPTER_TRYLOCK(spin, pthread_spinlock_t, pthread_spin_trylock(l))

const struct adapter adapter_pthread_spin = {
    .name = "pthread-spin",
    .about = "pthread_spinlock_t of the C library",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_SHARED | ADAPTER_SPINS | ADAPTER_FREEABLE,
    ADAPTER_TYPE(spin, pthread_spinlock_t),
    .destroy = spin_destroy_,
    .trylock = spin_trylock_,
};
