/* SPDX-License-Identifier: MIT */
/* The objects of who_waits.c, of each make. */
#include "who_waits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <furwock/ipc/barrier.h>
#include <furwock/ipc/mutex.h>
#include <furwock/ipc/region.h>
#include <furwock/ipc/rwlock.h>
#include <furwock/ipc/sem.h>

/* Of private locks: symbols, by which the tests know them. */
struct locks objects;

static struct locks *of;

enum { HOUR = 3600, REGION_BYTES = 1 << 17, PARTIES = 100 };

static struct timespec in_an_hour(void)
{
    struct timespec at;

    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_sec += HOUR;
    return at;
}

/* --- The C library's -------------------------------------------------------------------------- */

static int is_c11;

static void init_mutex(pthread_mutex_t *m, const char *kind, int is_shared)
{
    pthread_mutexattr_t a;
    static const struct {
        const char *name;
        int type;
    } types[] = {{"recursive", PTHREAD_MUTEX_RECURSIVE},
                 {"errorcheck", PTHREAD_MUTEX_ERRORCHECK},
                 {"adaptive", PTHREAD_MUTEX_ADAPTIVE_NP}};

    pthread_mutexattr_init(&a);
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(kind, types[i].name) == 0)
            pthread_mutexattr_settype(&a, types[i].type);
    if (strcmp(kind, "robust") == 0)
        pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    if (strcmp(kind, "inherit") == 0)
        pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
    if (is_shared)
        pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
    if (pthread_mutex_init(m, &a) != 0)
        die(kind);
}

static void libc_begin(void)
{
    int is_shared = strncmp(kind_name, "shared-", 7) == 0;
    const char *kind = is_shared ? kind_name + 7 : kind_name;
    pthread_rwlockattr_t a;

    of = is_shared ? &all->locks : &objects;
    is_c11 = strcmp(kind, "c11") == 0;
    pthread_rwlockattr_init(&a);
    pthread_rwlockattr_setpshared(&a, is_shared);
    for (unsigned i = 0; i < OBJECTS; i++) {
        if (is_c11)
            mtx_init(&of->mutex[i].c11, mtx_timed);
        else
            init_mutex(&of->mutex[i].mutex, kind, is_shared);
        pthread_rwlock_init(&of->rwlock[i], &a);
        pthread_cond_init(&of->cond[i], NULL);
        pthread_barrier_init(&of->barrier[i], NULL, PARTIES);
        sem_init(&of->sem[i], is_shared, 0);
    }
}

static void libc_step(char what, unsigned i)
{
    struct timespec at = in_an_hour();

    switch (what) {
    case 'l':
        if (is_c11)
            mtx_lock(&of->mutex[i].c11);
        else
            pthread_mutex_lock(&of->mutex[i].mutex);
        break;
    case 't':
        if (is_c11)
            mtx_timedlock(&of->mutex[i].c11, &at);
        else
            pthread_mutex_timedlock(&of->mutex[i].mutex, &at);
        break;
    case 'u':
        pthread_mutex_unlock(&of->mutex[i].mutex);
        break;
    case 'r':
        pthread_rwlock_rdlock(&of->rwlock[i]);
        break;
    case 'w':
        pthread_rwlock_wrlock(&of->rwlock[i]);
        break;
    case 's':
        sem_wait(&of->sem[i]);
        break;
    case 'c':
        pthread_cond_wait(&of->cond[i], &of->mutex[i].mutex);
        break;
    case 'g':
        pthread_cond_broadcast(&of->cond[i]);
        break;
    case 'b':
        pthread_barrier_wait(&of->barrier[i]);
        break;
    default:
        die("a word of the script");
    }
}

const struct kind libc_kind = {NULL, libc_begin, libc_step};

/* --- furwock's -------------------------------------------------------------------------------- */

static void fw_begin(void)
{
    of = &objects;
    for (unsigned i = 0; i < OBJECTS; i++) {
        fw_event_init(&of->fw_event[i], FW_EVENT_MANUAL, false);
        fw_barrier_init(&of->fw_barrier[i], PARTIES);
        if (fw_sem_init(&of->fw_sem[i], 0, PARTIES) != 0)
            die("fw_sem_init");
    }
}

static int again(void *arg)
{
    unsigned i = *(unsigned *)arg;

    pause();
    return (int)i;
}

static void fw_step(char what, unsigned i)
{
    switch (what) {
    case 'l':
        fw_mutex_lock(&of->mutex[i].fw);
        break;
    case 'u':
        fw_mutex_unlock(&of->mutex[i].fw);
        break;
    case 'r':
        fw_rwlock_rdlock(&of->fw_rwlock[i]);
        break;
    case 'w':
        fw_rwlock_wrlock(&of->fw_rwlock[i]);
        break;
    case 's':
        fw_sem_wait(&of->fw_sem[i]);
        break;
    case 'c':
        fw_cond_wait(&of->fw_cond[i], &of->mutex[i].fw);
        break;
    case 'g':
        fw_cond_broadcast(&of->fw_cond[i]);
        break;
    case 'e':
        fw_event_wait(&of->fw_event[i]);
        break;
    case 'b':
        fw_barrier_wait(&of->fw_barrier[i]);
        break;
    case 'i':
        fw_once_call(&of->fw_once[i], again, &i);
        break;
    default:
        die("a word of the script");
    }
}

const struct kind fw_kind = {"fw", fw_begin, fw_step};

/* --- A region's ------------------------------------------------------------------------------- */

static fw_ipc_mutex *region_mutex[OBJECTS];
static fw_ipc_rwlock *region_rwlock[OBJECTS];
static fw_ipc_sem *region_sem[OBJECTS];
static fw_ipc_mutex *inner_mutex; /* of an object of data */
static char region_name[32];

static void region_begin(void)
{
    fw_region *region;
    char name[16];

    snprintf(region_name, sizeof region_name, "/who-%d", (int)getpid());
    if (fw_region_open(region_name, REGION_BYTES, FW_REGION_CREATE | 0600, &region) != 0)
        die("fw_region_open");
    if (fw_region_object(region, "data", FW_REGION_DATA, OBJECTS * sizeof(fw_ipc_mutex),
                         FW_REGION_CREATE, (void **)&inner_mutex) != 0)
        die("data");
    for (unsigned i = 0; i < OBJECTS; i++) {
        snprintf(name, sizeof name, "mutex %u", i);
        if (fw_region_mutex(region, name, FW_REGION_CREATE, &region_mutex[i]) != 0)
            die(name);
        snprintf(name, sizeof name, "rwlock %u", i);
        if (fw_region_object(region, name, FW_REGION_RWLOCK, sizeof(fw_ipc_rwlock),
                             FW_REGION_CREATE, (void **)&region_rwlock[i]) != 0)
            die(name);
        snprintf(name, sizeof name, "sem %u", i);
        if (fw_region_object(region, name, FW_REGION_SEM, sizeof(fw_ipc_sem), FW_REGION_CREATE,
                             (void **)&region_sem[i]) != 0 ||
            fw_ipc_sem_init(region_sem[i], 0, PARTIES) != 0)
            die(name);
    }
}

static void region_step(char what, unsigned i)
{
    int error = 0;

    switch (what) {
    case 'l':
        error = fw_ipc_mutex_lock(region_mutex[i]);
        break;
    case 'd':
        error = fw_ipc_mutex_lock(&inner_mutex[i]);
        break;
    case 'r':
        error = fw_ipc_rwlock_rdlock(region_rwlock[i]);
        break;
    case 'w':
        error = fw_ipc_rwlock_wrlock(region_rwlock[i]);
        break;
    case 's':
        error = fw_ipc_sem_wait(region_sem[i]);
        break;
    default:
        die("a word of the script");
    }
    if (error != 0)
        die("an object of the region");
}

const struct kind region_kind = {"region", region_begin, region_step};

const struct kind *find_kind(const char *name)
{
    if (strcmp(name, fw_kind.name) == 0)
        return &fw_kind;
    return strcmp(name, region_kind.name) == 0 ? &region_kind : &libc_kind;
}
