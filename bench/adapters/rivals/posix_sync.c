/* SPDX-License-Identifier: MIT */
/* The C library's semaphore and barrier, and an event made of its mutex and condition variable. */
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

#include "bench/adapters/sync_adapter_define.h"
#include "posix_sem.h"

/* --- Semaphore -------------------------------------------------------------------------------- */

static uint32_t units(sem_t *s)
{
    int value = 0;

    sem_getvalue(s, &value);
    return value > 0 ? (uint32_t)value : 0;
}

ADAPTER_INIT(sem, sem_t, sem_init(l, shared, 0) == 0 ? 0 : errno)
ADAPTER_INIT(sem_full, sem_t, sem_init(l, shared, SEM_VALUE_MAX) == 0 ? 0 : errno)
ADAPTER_DESTROY(sem, sem_t, sem_destroy(l))
SEM_CALLS(sem, sem_t, posix_sem_down(l), sem_trywait(l) == 0 ? 0 : errno,
          sem_post(l) == 0 ? 0 : errno, units(l))

#ifdef __SANITIZE_THREAD__
#define sem_timedwait_ NULL
#else
ADAPTER_UNTIL(sem_timedwait_, sem_t, posix_sem_down_until(l, at))
#endif

const struct sem_adapter sem_adapter_posix = {
    .name = "posix",
    .about = "sem_t of the C library",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_SHARED | ADAPTER_BLOCKS | ADAPTER_FREEABLE,
    ADAPTER_OBJECT(sem_t, sem_init_),
    .destroy = sem_destroy_,
    SEM_MEMBERS(sem),
    .timedwait = sem_timedwait_,
};

/* --- Event ------------------------------------------------------------------------------------ */

struct event {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    bool set;
    bool automatic;
};

static int event_make(struct event *e, bool automatic)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    e->automatic = automatic;
    int error = pthread_mutex_init(&e->mutex, NULL);
    return error == 0 ? pthread_cond_init(&e->cond, &attr) : error;
}

static void event_unmake(struct event *e)
{
    pthread_cond_destroy(&e->cond);
    pthread_mutex_destroy(&e->mutex);
}

static void event_assign(struct event *e, bool set)
{
    pthread_mutex_lock(&e->mutex);
    e->set = set;
    if (set && e->automatic)
        pthread_cond_signal(&e->cond);
    else if (set)
        pthread_cond_broadcast(&e->cond);
    pthread_mutex_unlock(&e->mutex);
}

static bool event_look(struct event *e)
{
    pthread_mutex_lock(&e->mutex);
    bool set = e->set;
    pthread_mutex_unlock(&e->mutex);
    return set;
}

/* `at` NULL: no deadline.  0 or ETIMEDOUT. */
static int event_pass(struct event *e, const struct timespec *at)
{
    int error = 0;

    pthread_mutex_lock(&e->mutex);
    while (!e->set && error != ETIMEDOUT)
        error = at != NULL ? pthread_cond_timedwait(&e->cond, &e->mutex, at)
                           : pthread_cond_wait(&e->cond, &e->mutex);
    error = e->set ? 0 : ETIMEDOUT;
    if (e->automatic)
        e->set = false;
    pthread_mutex_unlock(&e->mutex);
    return error;
}

static int event_try(struct event *e)
{
    pthread_mutex_lock(&e->mutex);
    bool set = e->set;
    if (e->automatic)
        e->set = false;
    pthread_mutex_unlock(&e->mutex);
    return set ? 0 : EAGAIN;
}

ADAPTER_INIT(manual, struct event, event_make(l, false))
ADAPTER_INIT(automatic, struct event, event_make(l, true))
ADAPTER_DESTROY(event, struct event, event_unmake(l))
EVENT_CALLS(event, struct event, event_assign(l, true), event_assign(l, false), event_look(l),
            (void)event_pass(l, NULL), event_try(l), event_pass(l, at))

const struct event_adapter event_adapter_pthread = {
    .name = "pthread",
    .about = "a flag under a mutex and a condition variable of the C library",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS,
    ADAPTER_OBJECT(struct event, manual_init_),
    .destroy = event_destroy_,
    .automatic = false,
    EVENT_MEMBERS(event),
};

const struct event_adapter event_adapter_pthread_auto = {
    .name = "pthread-auto",
    .about = "the same, resetting itself for each that it lets through",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS,
    ADAPTER_OBJECT(struct event, automatic_init_),
    .destroy = event_destroy_,
    .automatic = true,
    EVENT_MEMBERS(event),
};

/* --- Barrier ---------------------------------------------------------------------------------- */

static int barrier_make(pthread_barrier_t *b, bool shared, unsigned parties)
{
    pthread_barrierattr_t attr;
    int error = pthread_barrierattr_init(&attr);

    if (error == 0)
        error = pthread_barrierattr_setpshared(&attr, shared ? PTHREAD_PROCESS_SHARED
                                                             : PTHREAD_PROCESS_PRIVATE);
    return error == 0 ? pthread_barrier_init(b, &attr, parties) : error;
}

BARRIER_INIT(barrier, pthread_barrier_t, barrier_make(l, shared, parties))
ADAPTER_DESTROY(barrier, pthread_barrier_t, pthread_barrier_destroy(l))
BARRIER_CALLS(barrier, pthread_barrier_t, pthread_barrier_wait(l) == PTHREAD_BARRIER_SERIAL_THREAD)

/* ThreadSanitizer takes it for a race when one destroys what others are about to leave. */
#ifdef __SANITIZE_THREAD__
#define BARRIER_FREEABLE 0
#else
#define BARRIER_FREEABLE ADAPTER_FREEABLE
#endif

const struct barrier_adapter barrier_adapter_pthread = {
    .name = "pthread",
    .about = "pthread_barrier_t of the C library",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_SHARED | ADAPTER_BLOCKS | BARRIER_FREEABLE,
    ADAPTER_OBJECT(pthread_barrier_t, barrier_init_),
    .destroy = barrier_destroy_,
    BARRIER_MEMBERS(barrier),
};
