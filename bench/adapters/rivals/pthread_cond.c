/* SPDX-License-Identifier: MIT */
/* The C library's mutex and condition variable. */
#include <pthread.h>

#include "bench/adapters/cond_adapter_define.h"

struct pair {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
};

static int make(struct pair *p, bool shared)
{
    int kind = shared ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE;
    pthread_mutexattr_t mutex;
    pthread_condattr_t cond;

    int error = pthread_mutexattr_init(&mutex);
    if (error == 0)
        error = pthread_mutexattr_setpshared(&mutex, kind);
    if (error == 0)
        error = pthread_mutex_init(&p->mutex, &mutex);
    if (error == 0)
        error = pthread_condattr_init(&cond);
    if (error == 0)
        error = pthread_condattr_setpshared(&cond, kind);
    if (error == 0)
        error = pthread_condattr_setclock(&cond, CLOCK_MONOTONIC);
    return error == 0 ? pthread_cond_init(&p->cond, &cond) : error;
}

static void unmake(struct pair *p)
{
    pthread_cond_destroy(&p->cond);
    pthread_mutex_destroy(&p->mutex);
}

ADAPTER_INIT(pair, struct pair, make(l, shared))
ADAPTER_DESTROY(pair, struct pair, unmake(l))
COND_CALLS(pair, struct pair, pthread_mutex_lock(&l->mutex), pthread_mutex_unlock(&l->mutex),
           pthread_cond_wait(&l->cond, &l->mutex), pthread_cond_signal(&l->cond),
           pthread_cond_broadcast(&l->cond))
ADAPTER_DO(pair_destroy_cond_, struct pair, pthread_cond_destroy(&l->cond))
COND_TIMED(pair, struct pair, pthread_cond_timedwait(&l->cond, &l->mutex, at))

const struct cond_adapter cond_adapter_pthread = {
    .name = "pthread",
    .about = "pthread_cond_t and pthread_mutex_t of the C library",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_SHARED | ADAPTER_BLOCKS | ADAPTER_FREEABLE | ADAPTER_CANCEL,
    ADAPTER_OBJECT(struct pair, pair_init_),
    .destroy = pair_destroy_,
    COND_PLACE(struct pair, cond),
    .destroy_cond = pair_destroy_cond_,
    COND_MEMBERS(pair),
};
