/* SPDX-License-Identifier: MIT */
/*
 * Priorities of threads that hold mutexes with ceilings.  Contract: boost.h.
 *
 * Each thread has a record in its static TLS block.  The record of another thread is found by its
 * pthread_t: the C library's pthread_t is the address of the thread's descriptor, from which the
 * block lies equally far in all threads.
 *
 *   PBOOST1  A record is changed under its lock, by its thread or by who sets the thread's
 *            priority; but the numbers of mutexes are the thread's alone.
 *   PBOOST2  While `highest` is not 0, the kernel has the thread at the higher of `highest` and
 *            own.sched_priority.  The C library remembers what was before; where that was changed
 *            meanwhile, it is told when `highest` becomes 0 again.
 */
#include "boost.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "export.h"
#include "mutex_pi.h"
#include "object.h"
#include "sys/fork.h"
#include "sys/panic.h"
#include "sys/robust.h"
#include "sys/schedule.h"

/* Linux has the priorities 1 to 99. */
enum { PRIORITIES = 100 };

struct record {
    struct fw_posix_mutex_ lock; /* of the kind that inherits */
    uint32_t id;                 /* of the thread */
    int highest;                 /* ceiling of a mutex that the thread holds; 0: it holds none */
    int policy;
    struct sched_param own;
    bool is_changed;           /* the thread's own parameters, since `highest` is not 0 */
    uint16_t held[PRIORITIES]; /* how many mutexes of that ceiling */
};

static __thread struct record mine = {.lock = {.kind = FW_KIND_INHERIT}};

static struct record *record_of(pthread_t thread)
{
    return (struct record *)((uintptr_t)thread + ((uintptr_t)&mine - (uintptr_t)pthread_self()));
}

/* The C library's own. */
union next {
    void *found;
    int (*set)(pthread_t, int, const struct sched_param *);
    int (*set_priority)(pthread_t, int);
    int (*get)(pthread_t, int *, struct sched_param *);
};

/* By two threads at once: both find the same. */
static union next next(void **known, const char *name)
{
    union next n = {__atomic_load_n(known, __ATOMIC_RELAXED)};

    if (n.found == NULL) {
        n.found = dlsym(RTLD_NEXT, name);
        if (n.found == NULL)
            fw_panic_errno_(name, ENOSYS);
        __atomic_store_n(known, n.found, __ATOMIC_RELAXED);
    }
    return n;
}

static int next_set(pthread_t thread, int policy, const struct sched_param *param)
{
    static void *known;

    return next(&known, "pthread_setschedparam").set(thread, policy, param);
}

static int next_set_priority(pthread_t thread, int priority)
{
    static void *known;

    return next(&known, "pthread_setschedprio").set_priority(thread, priority);
}

static int next_get(pthread_t thread, int *policy, struct sched_param *param)
{
    static void *known;

    return next(&known, "pthread_getschedparam").get(thread, policy, param);
}

int fw_boost_own_priority_(void)
{
    struct sched_param own;
    int policy;

    if (mine.highest != 0)
        return mine.own.sched_priority;
    return next_get(pthread_self(), &policy, &own) == 0 ? own.sched_priority : 0;
}

static int higher(int a, int b)
{
    return a > b ? a : b;
}

/* With the lock of the calling thread's record: PBOOST2. */
static int move(struct record *r, int to)
{
    int from = r->highest;
    int before, after;
    int error = from == 0 ? next_get(pthread_self(), &r->policy, &r->own) : 0;

    if (error != 0)
        return error;
    before = higher(from, r->own.sched_priority);
    after = higher(to, r->own.sched_priority);
    if (to == 0 && r->is_changed)
        error = next_set(pthread_self(), r->policy, &r->own);
    else if (after != before)
        error = -fw_schedule_(0, r->policy, after);
    if (error == 0 || to < from)
        r->highest = to;
    if (to == 0)
        r->is_changed = false;
    return error;
}

static int move_to(struct record *r, int to)
{
    int error;

    fw_pi_lock_(&r->lock, NULL);
    r->id = fw_robust_self_();
    error = move(r, to);
    fw_pi_unlock_(&r->lock);
    return error;
}

int fw_boost_raise_(int ceiling)
{
    struct record *r = &mine;
    int error = 0;

    if (ceiling <= 0 || ceiling >= PRIORITIES)
        return EINVAL;
    if (r->held[ceiling] == UINT16_MAX)
        return EAGAIN;
    if (ceiling > r->highest)
        error = move_to(r, ceiling);
    if (error == 0)
        r->held[ceiling]++;
    return error;
}

int fw_boost_lower_(int ceiling)
{
    struct record *r = &mine;

    if (ceiling <= 0 || ceiling >= PRIORITIES || r->held[ceiling] == 0)
        return 0;
    if (--r->held[ceiling] != 0 || ceiling != r->highest)
        return 0;
    do
        ceiling--;
    while (ceiling > 0 && r->held[ceiling] == 0);
    return move_to(r, ceiling);
}

/* The forked child's thread has another id, and nobody else is there who could have its lock. */
static void begin_anew(void)
{
    mine.lock.word = 0;
    mine.lock.owner = 0;
    mine.lock.users = 0;
    mine.id = fw_robust_self_();
}

__attribute__((constructor)) static void see_to_forks(void)
{
    fw_at_fork_(begin_anew);
}

/* The parameters of a thread that holds mutexes with ceilings. */
static int set_own(struct record *r, int policy, int priority)
{
    unsigned whom = r == &mine ? 0 : r->id; /* a forked child's id is another one */
    int error = -fw_schedule_(whom, policy, higher(r->highest, priority));

    if (error != 0)
        return error;
    r->policy = policy;
    r->own.sched_priority = priority;
    r->is_changed = true;
    return 0;
}

int fw_posix_setschedparam_(pthread_t thread, int policy, const struct sched_param *param)
{
    struct record *r = record_of(thread);
    int error;

    fw_pi_lock_(&r->lock, NULL);
    error = r->highest != 0 ? set_own(r, policy, param->sched_priority)
                            : next_set(thread, policy, param);
    fw_pi_unlock_(&r->lock);
    return error;
}
FW_EXPORT(fw_posix_setschedparam_, pthread_setschedparam, GLIBC_2_2_5);

int fw_posix_setschedprio_(pthread_t thread, int priority)
{
    struct record *r = record_of(thread);
    int error;

    fw_pi_lock_(&r->lock, NULL);
    error = r->highest != 0 ? set_own(r, r->policy, priority) : next_set_priority(thread, priority);
    fw_pi_unlock_(&r->lock);
    return error;
}
FW_EXPORT(fw_posix_setschedprio_, pthread_setschedprio, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_setschedprio_, pthread_setschedprio, GLIBC_2_3_4);

int fw_posix_getschedparam_(pthread_t thread, int *policy, struct sched_param *param)
{
    struct record *r = record_of(thread);
    int error = 0;

    fw_pi_lock_(&r->lock, NULL);
    if (r->highest != 0) {
        *policy = r->policy;
        *param = r->own;
    } else {
        error = next_get(thread, policy, param);
    }
    fw_pi_unlock_(&r->lock);
    return error;
}
FW_EXPORT(fw_posix_getschedparam_, pthread_getschedparam, GLIBC_2_2_5);
