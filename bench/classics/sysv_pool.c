/* SPDX-License-Identifier: MIT */
#include "sysv_pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <unistd.h>

#include "supervisor.h"
#include "sysv.h"

struct set {
    int id;
    unsigned in_use;
    bool used[SYSV_PER_SET];
};

/* Guarded by its mutex.  It belongs to the process that filled it: a forked child starts afresh. */
static struct {
    pthread_mutex_t mutex;
    pid_t owner;
    unsigned per_set; /* what SEMMSL allows */
    unsigned n_sets;
    struct supervisor supervisor;
    struct set sets[SYSV_SETS_MAX];
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* --- In the supervisor ------------------------------------------------------------------------ */

static int make_set(int size)
{
    int id = semget(IPC_PRIVATE, size, IPC_CREAT | 0600);
    return id >= 0 ? id : -errno;
}

static void remove_set(int id)
{
    semctl(id, 0, IPC_RMID);
}

static const struct supervisor_ops ops = {"fw-sem-supervisor", make_set, remove_set};

/* --- In the client, under the mutex ----------------------------------------------------------- */

static int open_pool(void)
{
    if (pool.owner == getpid())
        return 0;
    /* An inherited supervisor's socket stays open on purpose: it holds the sets of the parent. */
    int error = supervisor_start(&pool.supervisor, &ops);
    if (error != 0)
        return error;
    pool.owner = getpid();
    pool.per_set = SYSV_PER_SET;
    pool.n_sets = 0;
    return 0;
}

static void close_pool(void)
{
    supervisor_stop(&pool.supervisor);
    pool.owner = 0;
}

static int add_set(void)
{
    if (pool.n_sets == SYSV_SETS_MAX)
        return ENOSPC;
    int id = supervisor_make(&pool.supervisor, (int)pool.per_set);
    while (id == -EINVAL && pool.per_set > 1) { /* above SEMMSL */
        pool.per_set /= 2;
        id = supervisor_make(&pool.supervisor, (int)pool.per_set);
    }
    if (id < 0)
        return -id;
    struct set *s = &pool.sets[pool.n_sets++];
    memset(s, 0, sizeof *s);
    s->id = id;
    return 0;
}

/* A set with a free semaphore, or NULL. */
static struct set *find_space(void)
{
    for (unsigned i = 0; i < pool.n_sets; i++)
        if (pool.sets[i].in_use < pool.per_set)
            return &pool.sets[i];
    return NULL;
}

static struct set *find_set(int id)
{
    for (unsigned i = 0; i < pool.n_sets; i++)
        if (pool.sets[i].id == id)
            return &pool.sets[i];
    return NULL;
}

static void drop_set(struct set *s)
{
    supervisor_remove(&pool.supervisor, s->id);
    *s = pool.sets[--pool.n_sets];
    if (pool.n_sets == 0)
        close_pool();
}

static int take(int *set, unsigned short *index)
{
    int error = open_pool();
    if (error != 0)
        return error;
    struct set *s = find_space();
    if (s == NULL) {
        error = add_set();
        if (error != 0 && pool.n_sets == 0)
            close_pool();
        if (error != 0)
            return error;
        s = &pool.sets[pool.n_sets - 1];
    }
    unsigned short i = 0;
    while (s->used[i])
        i++;
    s->used[i] = true;
    s->in_use++;
    *set = s->id;
    *index = i;
    return 0;
}

/* --- The calls -------------------------------------------------------------------------------- */

int sysv_pool_take(int *set, unsigned short *index)
{
    pthread_mutex_lock(&pool.mutex);
    int error = take(set, index);
    pthread_mutex_unlock(&pool.mutex);
    return error;
}

void sysv_pool_give(int set, unsigned short index)
{
    pthread_mutex_lock(&pool.mutex);
    struct set *s = pool.owner == getpid() ? find_set(set) : NULL;
    if (s != NULL && s->used[index]) {
        s->used[index] = false;
        s->in_use--;
        if (s->in_use == 0)
            drop_set(s);
    }
    pthread_mutex_unlock(&pool.mutex);
}
