/* SPDX-License-Identifier: MIT */
/* The families of objects, and how those that are no locks can be used as one. */
#include "contract.h"

const struct rw_adapter *rw_subject;
const struct cond_adapter *cond_subject;
const struct sem_adapter *sem_subject;
const struct event_adapter *event_subject;
const struct barrier_adapter *barrier_subject;

/* family_NAME: the adapters of one family; choose() sets SUBJECT and calls use_as_lock(). */
#define FAMILY(family_name, adapters, subject_, use_as_lock) \
    static const adapter_head *family_name##_at(size_t i)    \
    {                                                        \
        return (const adapter_head *)adapters##_list[i];     \
    }                                                        \
    static void family_name##_choose(const adapter_head *a)  \
    {                                                        \
        subject_head = a;                                    \
        subject_ = (const struct adapters *)a;               \
        use_as_lock();                                       \
    }                                                        \
    const struct contract_family family_name = {family_name##_at, family_name##_choose};

/* The subject as a lock, where it is none. */
static struct adapter disguise;

static void disguise_begin(void)
{
    disguise = (struct adapter){.name = subject_head->name,
                                .about = subject_head->about,
                                .family = subject_head->family,
                                .flags = subject_head->flags,
                                .size = subject_head->size,
                                .align = subject_head->align,
                                .init = subject_head->init,
                                .destroy = subject_head->destroy};
    subject = &disguise;
}

static void nothing(void) {}

/* --- A read-write lock, by its writers -------------------------------------------------------- */

static void rw_as_lock(void)
{
    disguise_begin();
    disguise.lock = rw_subject->wrlock;
    disguise.unlock = rw_subject->wrunlock;
    disguise.trylock = rw_subject->trywrlock;
    disguise.timedlock = rw_subject->timedwrlock;
}

/* --- A semaphore of one unit, and an event that resets itself --------------------------------- */

static int unit_init(void *lock, bool shared)
{
    int error = subject_head->init(lock, shared);

    if (error == 0)
        subject->unlock(lock);
    return error;
}

static void sem_unlock(void *lock)
{
    sem_subject->post(lock);
}

static int sem_trylock(void *lock)
{
    return sem_subject->trywait(lock) == 0 ? 0 : EBUSY;
}

static void sem_as_lock(void)
{
    disguise_begin();
    disguise.flags &= ~(unsigned)ADAPTER_ZERO;
    disguise.init = unit_init;
    disguise.lock = sem_subject->wait;
    disguise.unlock = sem_unlock;
    disguise.trylock = sem_trylock;
    disguise.timedlock = sem_subject->timedwait;
}

static int event_trylock(void *lock)
{
    return event_subject->trywait(lock) == 0 ? 0 : EBUSY;
}

static void event_as_lock(void)
{
    disguise_begin();
    disguise.flags &= ~(unsigned)ADAPTER_ZERO;
    disguise.init = unit_init;
    disguise.lock = event_subject->wait;
    disguise.unlock = event_subject->set;
    disguise.trylock = event_trylock;
    disguise.timedlock = event_subject->timedwait;
}

/* --- A flag with a condition variable: behind the object, in the lock's memory ---------------- */

enum { FLAG_ROOM = 16 };

static size_t flag_offset(void)
{
    return (cond_subject->size + FLAG_ROOM - 1) / FLAG_ROOM * FLAG_ROOM;
}

static bool *flag_of(void *lock)
{
    return (bool *)((char *)lock + flag_offset());
}

static int flag_timedlock(void *lock, const struct timespec *at)
{
    bool *taken = flag_of(lock);
    int error = 0;

    cond_subject->lock(lock);
    while (*taken && error != ETIMEDOUT) {
        if (at == NULL)
            cond_subject->wait(lock);
        else
            error = cond_subject->timedwait(lock, at);
    }
    error = *taken ? EBUSY : 0;
    *taken = true;
    cond_subject->unlock(lock);
    return error == 0 ? 0 : ETIMEDOUT;
}

static void flag_lock(void *lock)
{
    flag_timedlock(lock, NULL);
}

static void flag_unlock(void *lock)
{
    cond_subject->lock(lock);
    *flag_of(lock) = false;
    cond_subject->signal(lock);
    cond_subject->unlock(lock);
}

static int flag_trylock(void *lock)
{
    cond_subject->lock(lock);
    bool was_taken = *flag_of(lock);
    *flag_of(lock) = true;
    cond_subject->unlock(lock);
    return was_taken ? EBUSY : 0;
}

static void cond_as_lock(void)
{
    disguise_begin();
    disguise.size = flag_offset() + FLAG_ROOM;
    disguise.lock = flag_lock;
    disguise.unlock = flag_unlock;
    disguise.trylock = flag_trylock;
    disguise.timedlock = cond_subject->timedwait != NULL ? flag_timedlock : NULL;
}

/* --- The same flag, waited for by a predicate ------------------------------------------------- */

static bool is_free(void *flag)
{
    return !*(bool *)flag;
}

static int await_timedlock(void *lock, const struct timespec *at)
{
    bool *taken = flag_of(lock);
    int error;

    cond_subject->lock(lock);
    error = cond_subject->await(lock, is_free, taken, at);
    if (error == 0)
        *taken = true;
    cond_subject->unlock(lock);
    return error;
}

static void await_lock(void *lock)
{
    await_timedlock(lock, NULL);
}

static void await_unlock(void *lock)
{
    cond_subject->lock(lock);
    *flag_of(lock) = false;
    cond_subject->unlock(lock);
}

static void await_as_lock(void)
{
    cond_as_lock();
    disguise.lock = await_lock;
    disguise.unlock = await_unlock;
    disguise.timedlock = await_timedlock;
}

FAMILY(family_locks, adapter, subject, nothing)
FAMILY(family_rw, rw_adapter, rw_subject, rw_as_lock)
FAMILY(family_cond, cond_adapter, cond_subject, cond_as_lock)
FAMILY(family_await, cond_adapter, cond_subject, await_as_lock)
FAMILY(family_sem, sem_adapter, sem_subject, sem_as_lock)
FAMILY(family_event, event_adapter, event_subject, event_as_lock)
FAMILY(family_barrier, barrier_adapter, barrier_subject, disguise_begin)
