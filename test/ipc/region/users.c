/* SPDX-License-Identifier: MIT */
#include "users.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <furwock/bits/atomic.h>
#include <furwock/ipc/barrier.h>
#include <furwock/ipc/cond.h>
#include <furwock/ipc/journal.h>
#include <furwock/ipc/mutex.h>
#include <furwock/ipc/once.h>
#include <furwock/ipc/permits.h>
#include <furwock/ipc/region.h>
#include <furwock/ipc/rwlock.h>
#include <furwock/ipc/sem.h>

#include "processes.h"

enum { PARTIES = 3, UNITS = 2, JOURNAL = 512, DATA = 256 };

enum thing { MUTEX, RWLOCK, COND, SEM, PERMITS_, BARRIER, ONCE, JOURNAL_, DATA_, THINGS };

static const struct {
    const char *name;
    fw_region_kind kind;
} things[THINGS] = {
    {"mutex", FW_REGION_MUTEX}, {"rwlock", FW_REGION_RWLOCK},   {"cond", FW_REGION_COND},
    {"sem", FW_REGION_SEM},     {"units", FW_REGION_PERMITS},   {"barrier", FW_REGION_BARRIER},
    {"once", FW_REGION_ONCE},   {"journal", FW_REGION_JOURNAL}, {"data", FW_REGION_DATA},
};

struct user {
    struct play *play;
    unsigned who;
    uint64_t random;
    fw_region *region;
    void *at[THINGS];
};

static size_t size_of(enum thing t)
{
    switch (t) {
    case MUTEX:
        return sizeof(fw_ipc_mutex);
    case RWLOCK:
        return sizeof(fw_ipc_rwlock);
    case COND:
        return sizeof(fw_ipc_cond);
    case SEM:
        return sizeof(fw_ipc_sem);
    case PERMITS_:
        return fw_ipc_permits_size(UNITS);
    case BARRIER:
        return fw_ipc_barrier_size(PARTIES);
    case ONCE:
        return sizeof(fw_ipc_once);
    case JOURNAL_:
        return fw_ipc_journal_size(JOURNAL);
    default:
        return DATA;
    }
}

void play_prepare(struct play *play)
{
    fw_region *r;
    void *at[THINGS];

    CHECK(fw_region_open_fd(play->fd, REGION_SIZE, FW_REGION_CREATE, &r) == 0);
    for (int t = 0; t < THINGS; t++)
        CHECK(fw_region_object(r, things[t].name, things[t].kind, size_of((enum thing)t),
                               FW_REGION_CREATE, &at[t]) == 0);
    CHECK(fw_ipc_sem_init(at[SEM], 2, 100) == 0);
    CHECK(fw_ipc_permits_init(at[PERMITS_], UNITS) == 0);
    CHECK(fw_ipc_barrier_init(at[BARRIER], PARTIES, FW_IPC_BARRIER_GO_ON) == 0);
    CHECK(fw_ipc_journal_init(at[JOURNAL_], JOURNAL) == 0);
    CHECK(fw_region_close(r) == 0);
}

static unsigned pick(struct user *u, unsigned n)
{
    return (unsigned)(draw(&u->random) >> 8) % n;
}

/* Up to two milliseconds from now. */
static fw_deadline soon(struct user *u)
{
    return in_us(pick(u, 2000));
}

static int done_with(struct user *u, int result)
{
    fw_store64_release(&u->play->until[u->who], 0);
    return result;
}

/* A call that shall come back soon after the deadline, whatever somebody writes. */
#define BY(d, call)                                                                        \
    (fw_store64_release(&u->play->until[u->who],                                           \
                        (uint64_t)(d).at.tv_sec * 1000000000u + (uint64_t)(d).at.tv_nsec), \
     done_with(u, call))

static void use_data(struct user *u)
{
    unsigned at = pick(u, DATA - 32);

    if (fw_ipc_journal_record(u->at[JOURNAL_], (char *)u->at[DATA_] + at, 1 + pick(u, 32)) == 0)
        memset((char *)u->at[DATA_] + at, (int)at, 8);
    if (pick(u, 4) == 0)
        fw_ipc_journal_undo(u->at[JOURNAL_]);
}

static void use_mutex(struct user *u)
{
    fw_ipc_mutex *m = u->at[MUTEX];
    fw_deadline d = soon(u);
    fw_ipc_death death;
    int error = BY(d, fw_ipc_mutex_timedlock(m, &d));

    fw_ipc_mutex_death(m, &death);
    fw_ipc_mutex_generation(m);
    if (error != 0 && error != EOWNERDEAD)
        return;
    if (pick(u, 8) == 0)
        fw_ipc_mutex_journal(m, pick(u, 2) ? u->at[JOURNAL_] : NULL);
    use_data(u);
    if (pick(u, 4) == 0)
        fw_ipc_cond_timedwait(u->at[COND], m, &d);
    if (error == EOWNERDEAD && pick(u, 8) != 0)
        fw_ipc_mutex_consistent(m);
    if (pick(u, 16) != 0)
        fw_ipc_mutex_unlock(m);
}

static void use_cond(struct user *u)
{
    if (pick(u, 2))
        fw_ipc_cond_signal(u->at[COND]);
    else
        fw_ipc_cond_broadcast(u->at[COND]);
}

static void use_rwlock(struct user *u)
{
    fw_ipc_rwlock *l = u->at[RWLOCK];
    fw_deadline d = soon(u);
    int error;

    switch (pick(u, 3)) {
    case 0:
        error = BY(d, fw_ipc_rwlock_timedrdlock(l, &d));
        break;
    case 1:
        error = BY(d, fw_ipc_rwlock_timedwrlock(l, &d));
        if (error == 0 && pick(u, 4) == 0)
            fw_ipc_rwlock_downgrade(l);
        break;
    default:
        error = BY(d, fw_ipc_rwlock_upgradable_timedlock(l, &d));
        if (error == 0 && pick(u, 2))
            BY(d, fw_ipc_rwlock_timedupgrade(l, &d));
    }
    if (error == EOWNERDEAD)
        fw_ipc_rwlock_consistent(l);
    if (pick(u, 16) != 0)
        fw_ipc_rwlock_unlock(l);
}

static void use_counts(struct user *u)
{
    fw_deadline d = soon(u);

    if (BY(d, fw_ipc_sem_timedwait(u->at[SEM], &d)) == 0 || pick(u, 8) == 0)
        fw_ipc_sem_post(u->at[SEM]);
    fw_ipc_sem_value(u->at[SEM]);
    if (BY(d, fw_ipc_permits_timedwait(u->at[PERMITS_], &d)) == 0 && pick(u, 16) != 0)
        fw_ipc_permits_post(u->at[PERMITS_]);
    fw_ipc_permits_value(u->at[PERMITS_]);
    fw_ipc_permits_held_by_me(u->at[PERMITS_]);
}

static void use_barrier(struct user *u)
{
    fw_ipc_barrier *b = u->at[BARRIER];
    fw_deadline d = soon(u);
    fw_ipc_death death;

    BY(d, fw_ipc_barrier_timedwait(b, &d));
    fw_ipc_barrier_death(b, &death);
    if (pick(u, 4) == 0)
        fw_ipc_barrier_leave(b);
    if (pick(u, 8) == 0)
        fw_ipc_barrier_reset(b);
}

static int do_once(void *arg)
{
    return pick(arg, 2) ? 0 : EDOM;
}

static void use_once(struct user *u)
{
    fw_ipc_once_call(u->at[ONCE], do_once, u);
}

static bool find_all(struct user *u)
{
    for (int t = 0; t < THINGS; t++)
        if (fw_region_object(u->region, things[t].name, things[t].kind, size_of((enum thing)t), 0,
                             &u->at[t]) != 0)
            return false;
    return true;
}

/* Where something was written over, the user comes back when it is as it was. */
static bool come_in(struct user *u)
{
    if (u->region != NULL)
        return true;
    if (fw_region_open_fd(u->play->fd, REGION_SIZE, FW_REGION_CREATE, &u->region) != 0) {
        u->region = NULL;
        return false;
    }
    if (find_all(u))
        return true;
    fw_region_close(u->region);
    u->region = NULL;
    return false;
}

static void use_directory(struct user *u)
{
    char name[16];
    void *object;

    snprintf(name, sizeof name, "n%u", pick(u, 40));
    fw_region_object(u->region, name, FW_REGION_DATA, 1 + pick(u, 500),
                     pick(u, 2) ? FW_REGION_CREATE : 0, &object);
}

static void *end_as_holder(void *arg)
{
    struct user *u = arg;
    fw_deadline d = soon(u);

    if (BY(d, fw_ipc_mutex_timedlock(u->at[MUTEX], &d)) == 0 && pick(u, 2))
        fw_ipc_mutex_unlock(u->at[MUTEX]);
    BY(d, fw_ipc_rwlock_timedrdlock(u->at[RWLOCK], &d));
    BY(d, fw_ipc_permits_timedwait(u->at[PERMITS_], &d));
    return NULL;
}

static void use_thread(struct user *u)
{
    struct user other = *u;
    pthread_t thread;

    other.random ^= 0x5555;
    CHECK(pthread_create(&thread, NULL, end_as_holder, &other) == 0);
    pthread_join(thread, NULL);
}

static void use_region(struct user *u)
{
    if (pick(u, 2)) {
        fw_region_leave(u->region);
    } else {
        fw_region_close(u->region);
        u->region = NULL;
    }
}

void play_on(struct play *play, unsigned who)
{
    static void (*const uses[])(struct user *) = {
        use_mutex,   use_mutex, use_cond,      use_rwlock, use_rwlock, use_counts,
        use_barrier, use_once,  use_directory, use_thread, use_region,
    };
    struct user u = {.play = play, .who = who, .random = play->seed * 31 + who + 1};

    while (fw_load32_acquire(&play->must_end) == 0) {
        unsigned n = pick(&u, sizeof uses / sizeof *uses);
        fw_store32_relaxed(&play->doing[who], 100);
        if (!come_in(&u))
            continue;
        fw_store32_relaxed(&play->doing[who], n + 1);
        uses[n](&u);
        fw_add64_acq_rel(&play->calls, 1);
    }
    fw_store32_relaxed(&play->doing[who], 0);
}
