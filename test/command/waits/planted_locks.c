/* SPDX-License-Identifier: MIT */
/* The table of planted.c. */
#include "planted.h"

#include <furwock/futex.h>
#include <furwock/mutex.h>
#include <furwock/rwlock.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <threads.h>
#include <time.h>

enum { ROBUST = 0x100, INHERIT = 0x200, SHARED = 0x400, TYPE = 0xff };

/* So that the function is on the stack while it calls. */
#define NO_TAIL_CALL() __asm__ volatile("" ::: "memory")

static pthread_mutex_t hot_mutex, hot_array[4];
static pthread_rwlock_t hot_rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t hot_sem;
static mtx_t hot_mtx;
static uint32_t hot_word;
static fw_mutex hot_fw_mutex = FW_MUTEX_INIT;
static fw_rwlock hot_fw_rwlock = FW_RWLOCK_INIT;
static pthread_cond_t hot_cond = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t cond_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t hot_barrier;

static void prepare_nothing(struct planted *p)
{
    (void)p;
}

static void prepare_mutex(struct planted *p)
{
    pthread_mutexattr_t a;

    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, p->type & TYPE);
    if (p->type & ROBUST)
        pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    if (p->type & INHERIT)
        pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
    if (p->type & SHARED)
        pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(p->object, &a);
}

static void prepare_heap(struct planted *p)
{
    p->object = malloc(sizeof(pthread_mutex_t));
    prepare_mutex(p);
}

static void prepare_shared(struct planted *p)
{
    p->object = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    prepare_mutex(p);
}

static void mutex_lock(void *m)
{
    pthread_mutex_lock(m);
    NO_TAIL_CALL();
}

static void mutex_unlock(void *m)
{
    pthread_mutex_unlock(m);
}

static void mutex_timedlock(void *m)
{
    struct timespec limit = {.tv_sec = INT32_MAX};

    pthread_mutex_timedlock(m, &limit);
    NO_TAIL_CALL();
}

static void write_lock(void *l)
{
    pthread_rwlock_wrlock(l);
    NO_TAIL_CALL();
}

static void rw_unlock(void *l)
{
    pthread_rwlock_unlock(l);
}

/* Readers that wait for a writer. */
static void mixed_lock(void *l)
{
    static _Thread_local unsigned turn;

    if (turn++ % 4 == 0)
        pthread_rwlock_wrlock(l);
    else
        pthread_rwlock_rdlock(l);
}

static void prepare_sem(struct planted *p)
{
    sem_init(p->object, 0, 1);
}

static void sem_lock(void *s)
{
    while (sem_wait(s) != 0)
        ;
}

static void sem_unlock(void *s)
{
    sem_post(s);
}

static void prepare_mtx(struct planted *p)
{
    mtx_init(p->object, mtx_plain);
}

static void c11_lock(void *m)
{
    mtx_lock(m);
    NO_TAIL_CALL();
}

static void c11_unlock(void *m)
{
    mtx_unlock(m);
}

/* A lock of the program's own: 0 free, 1 held, 2 held and threads may wait (Drepper, 2011). */
static void word_lock(void *word)
{
    uint32_t *w = word, expected = 0;

    if (__atomic_compare_exchange_n(w, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    while (__atomic_exchange_n(w, 2, __ATOMIC_ACQUIRE) != 0)
        fw_futex_wait(w, 2, FW_FUTEX_PRIVATE, NULL);
}

static void word_unlock(void *word)
{
    if (__atomic_exchange_n((uint32_t *)word, 0, __ATOMIC_RELEASE) == 2)
        fw_futex_wake(word, 1, FW_FUTEX_PRIVATE);
}

static void own_lock(void *m)
{
    fw_mutex_lock(m);
    NO_TAIL_CALL();
}

static void own_unlock(void *m)
{
    fw_mutex_unlock(m);
}

static void own_wrlock(void *l)
{
    fw_rwlock_wrlock(l);
    NO_TAIL_CALL();
}

static void own_wrunlock(void *l)
{
    fw_rwlock_wrunlock(l);
}

/* A lock made of a condition: whether it is held is said by a flag. */
static int cond_held;

static void cond_lock(void *c)
{
    pthread_mutex_lock(&cond_mutex);
    while (cond_held)
        pthread_cond_wait(c, &cond_mutex);
    cond_held = 1;
    pthread_mutex_unlock(&cond_mutex);
}

static void cond_unlock(void *c)
{
    pthread_mutex_lock(&cond_mutex);
    cond_held = 0;
    pthread_cond_signal(c);
    pthread_mutex_unlock(&cond_mutex);
}

static void prepare_barrier(struct planted *p)
{
    pthread_barrier_init(p->object, NULL, 4);
}

static void barrier_wait(void *b)
{
    pthread_barrier_wait(b);
    NO_TAIL_CALL();
}

static void do_nothing(void *object)
{
    (void)object;
}

static void prepare_file(struct planted *p)
{
    FILE *file = fopen("/dev/null", "w");

    p->object = file;
    p->shown = file->_lock; /* where it is said that it is held */
}

static void file_lock(void *f)
{
    flockfile(f);
    NO_TAIL_CALL();
}

static void file_unlock(void *f)
{
    funlockfile(f);
}

#define MUTEX(text, place, maker, ...)                                                           \
    {                                                                                            \
        .name = (text), .kind = "mutex", .class = "lock", .object = (place), .prepare = (maker), \
        .lock = mutex_lock, .unlock = mutex_unlock, __VA_ARGS__                                  \
    }
#define OTHER(text, said, of, place, maker, take, give)                                       \
    {                                                                                         \
        .name = (text), .kind = (said), .class = (of), .object = (place), .prepare = (maker), \
        .lock = (take), .unlock = (give)                                                      \
    }

static struct planted all[] = {
    MUTEX("normal", &hot_mutex, prepare_mutex, .type = PTHREAD_MUTEX_NORMAL),
    MUTEX("recursive", &hot_mutex, prepare_mutex, .type = PTHREAD_MUTEX_RECURSIVE),
    MUTEX("errorcheck", &hot_mutex, prepare_mutex, .type = PTHREAD_MUTEX_ERRORCHECK),
    MUTEX("robust", &hot_mutex, prepare_mutex, .type = ROBUST),
    MUTEX("inherit", &hot_mutex, prepare_mutex, .type = INHERIT),
    MUTEX("robust_inherit", &hot_mutex, prepare_mutex, .type = ROBUST | INHERIT),
    MUTEX("array", &hot_array[2], prepare_mutex, .type = PTHREAD_MUTEX_NORMAL),
    MUTEX("heap", NULL, prepare_heap, .type = PTHREAD_MUTEX_NORMAL),
    MUTEX("shared", NULL, prepare_shared, .type = SHARED),
    OTHER("timed", "mutex", "lock", &hot_mutex, prepare_mutex, mutex_timedlock, mutex_unlock),
    MUTEX("deep", &hot_mutex, prepare_mutex, .is_deep = true),
    OTHER("c11", "mutex", "lock", &hot_mtx, prepare_mtx, c11_lock, c11_unlock),
    OTHER("writers", "rwlock", "lock", &hot_rwlock, prepare_nothing, write_lock, rw_unlock),
    OTHER("readers", "rwlock", "lock", &hot_rwlock, prepare_nothing, mixed_lock, rw_unlock),
    OTHER("semaphore", "semaphore", "other", &hot_sem, prepare_sem, sem_lock, sem_unlock),
    OTHER("condition", "condition", "other", &hot_cond, prepare_nothing, cond_lock, cond_unlock),
    OTHER("barrier", "barrier", "other", &hot_barrier, prepare_barrier, barrier_wait, do_nothing),
    OTHER("stream", "libc lock", "lock", NULL, prepare_file, file_lock, file_unlock),
    OTHER("word", "futex", "lock", &hot_word, prepare_nothing, word_lock, word_unlock),
    OTHER("fw_mutex", "fw mutex", "lock", &hot_fw_mutex, prepare_nothing, own_lock, own_unlock),
    OTHER("fw_rwlock", "fw rwlock", "lock", &hot_fw_rwlock, prepare_nothing, own_wrlock,
          own_wrunlock),
    MUTEX("many", &hot_mutex, prepare_mutex, .sleepers = 1000),
};

enum { COUNT = sizeof all / sizeof *all };

struct planted *planted_find(const char *name)
{
    for (int i = 0; i < COUNT; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    return NULL;
}

void planted_list(void)
{
    for (int i = 0; i < COUNT; i++)
        printf("%s\t%s\t%s\t%u\n", all[i].name, all[i].class, all[i].kind, all[i].sleepers);
}
