/* SPDX-License-Identifier: MIT */
/* Every kind of lock, held by one thread and waited for by others, until the debugger ends it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/barrier.h>
#include <furwock/brlock.h>
#include <furwock/cond.h>
#include <furwock/event.h>
#include <furwock/ipc.h>
#include <furwock/latch.h>
#include <furwock/mutex.h>
#include <furwock/name.h>
#include <furwock/once.h>
#include <furwock/rwlock.h>
#include <furwock/sem.h>

enum { REGION_SIZE = 1 << 17, MEMORY = 4096, PAUSE_US = 20000, WAITERS = 18 };

/* What the debugger looks at. */
fw_mutex mutex, free_mutex;
fw_rwlock rwlock, read_lock, free_rwlock;
fw_cond cond, free_cond;
fw_sem sem = FW_SEM_INIT(0), free_sem;
fw_event event, automatic = FW_EVENT_INIT_AUTO, set_event;
fw_latch latch = FW_LATCH_INIT(3), open_latch;
fw_barrier barrier = FW_BARRIER_INIT(3);
fw_brlock brlock, read_brlock;
fw_once once, free_once, done_once;
fw_ipc_mutex *ipc_mutex, *free_ipc_mutex, *left_ipc_mutex;
fw_ipc_rwlock *ipc_rwlock, *read_ipc_rwlock;
fw_ipc_cond *ipc_cond;
fw_ipc_sem *ipc_sem;
fw_ipc_permits *ipc_permits;
fw_ipc_barrier *ipc_barrier;
fw_ipc_once *ipc_once;
_Alignas(64) char memory[MEMORY];
volatile int owner;

static fw_mutex other, owner_is_done;
static fw_ipc_mutex *other_ipc_mutex;

static void expect(int error)
{
    if (error != 0) {
        fprintf(stderr, "error %d: %s\n", error, fw_region_strerror());
        exit(1);
    }
}

static void *object(fw_region *region, const char *name, fw_region_kind kind, size_t size)
{
    void *at = NULL;

    expect(fw_region_object(region, name, kind, size, FW_REGION_CREATE, &at));
    return at;
}

static void make_objects(void)
{
    int file = memfd_create("region", 0);
    fw_region *r;

    if (file < 0)
        expect(1);
    expect(fw_region_open_fd(file, REGION_SIZE, FW_REGION_CREATE, &r));
    ipc_mutex = object(r, "mutex", FW_REGION_MUTEX, sizeof *ipc_mutex);
    free_ipc_mutex = object(r, "free", FW_REGION_MUTEX, sizeof *ipc_mutex);
    left_ipc_mutex = object(r, "left", FW_REGION_MUTEX, sizeof *ipc_mutex);
    other_ipc_mutex = object(r, "other", FW_REGION_MUTEX, sizeof *ipc_mutex);
    ipc_rwlock = object(r, "rwlock", FW_REGION_RWLOCK, sizeof *ipc_rwlock);
    read_ipc_rwlock = object(r, "read", FW_REGION_RWLOCK, sizeof *ipc_rwlock);
    ipc_cond = object(r, "cond", FW_REGION_COND, sizeof *ipc_cond);
    ipc_sem = object(r, "sem", FW_REGION_SEM, sizeof *ipc_sem);
    ipc_permits = object(r, "permits", FW_REGION_PERMITS, fw_ipc_permits_size(2));
    ipc_barrier = object(r, "barrier", FW_REGION_BARRIER, fw_ipc_barrier_size(3));
    ipc_once = object(r, "once", FW_REGION_ONCE, sizeof *ipc_once);
    expect(fw_ipc_sem_init(ipc_sem, 0, 5));
    expect(fw_ipc_permits_init(ipc_permits, 2));
    expect(fw_ipc_barrier_init(ipc_barrier, 3, FW_IPC_BARRIER_FAIL));
}

/* A process that ends while it holds a mutex. */
static void leave_mutex(void)
{
    pid_t child = fork();

    if (child == 0) {
        expect(fw_ipc_mutex_lock(left_ipc_mutex));
        _exit(0);
    }
    if (child < 0 || waitpid(child, NULL, 0) != child)
        expect(1);
}

static int done(void *arg)
{
    (void)arg;
    return 0;
}

static int stay(void *arg)
{
    (void)arg;
    while (pause() != 0) /* always */
        continue;
    return 0;
}

static void hold(void)
{
    owner = gettid();
    fw_mutex_lock(&mutex);
    fw_rwlock_wrlock(&rwlock);
    fw_rwlock_rdlock(&read_lock);
    fw_brlock_wrlock(&brlock);
    fw_brlock_rdlock(&read_brlock);
    fw_once_call(&done_once, done, NULL);
    expect(fw_ipc_mutex_lock(ipc_mutex));
    expect(fw_ipc_rwlock_wrlock(ipc_rwlock));
    expect(fw_ipc_rwlock_rdlock(read_ipc_rwlock));
    expect(fw_ipc_permits_wait(ipc_permits));
    expect(fw_ipc_permits_wait(ipc_permits));
    fw_mutex_unlock(&owner_is_done);
    fw_once_call(&once, stay, NULL);
}

/* Each waits for something that is held, or does not come. */
static void wait_as(unsigned waiter)
{
    switch (waiter) {
    case 0:
    case 1:
        fw_mutex_lock(&mutex);
        break;
    case 2:
        fw_rwlock_rdlock(&rwlock);
        break;
    case 3:
        fw_rwlock_wrlock(&rwlock);
        break;
    case 4:
        fw_mutex_lock(&other);
        fw_cond_wait(&cond, &other);
        break;
    case 5:
        fw_sem_wait(&sem);
        break;
    case 6:
        fw_event_wait(&event);
        break;
    case 7:
        fw_event_wait(&automatic);
        break;
    case 8:
        fw_latch_wait(&latch);
        break;
    case 9:
        fw_barrier_wait(&barrier);
        break;
    case 10:
        fw_brlock_rdlock(&brlock);
        break;
    case 11:
        expect(fw_ipc_mutex_lock(ipc_mutex));
        break;
    case 12:
        expect(fw_ipc_rwlock_wrlock(ipc_rwlock));
        break;
    case 13:
        expect(fw_ipc_mutex_lock(other_ipc_mutex));
        expect(fw_ipc_cond_wait(ipc_cond, other_ipc_mutex));
        break;
    case 14:
        expect(fw_ipc_sem_wait(ipc_sem));
        break;
    case 15:
        expect(fw_ipc_permits_wait(ipc_permits));
        break;
    case 16:
        expect(fw_ipc_barrier_wait(ipc_barrier));
        break;
    default:
        fw_ipc_once_call(ipc_once, stay, NULL);
    }
}

static void *play(void *waiter)
{
    wait_as(*(unsigned *)waiter);
    return NULL;
}

static void *play_owner(void *unused)
{
    pthread_setname_np(pthread_self(), "owner");
    fw_mutex_lock(&owner_is_done);
    hold();
    return unused;
}

/* The debugger stops here again and again. */
__attribute__((noinline)) void debugger_looks(void);

void debugger_looks(void)
{
    __asm__ volatile("" ::: "memory");
}

static void start(void *(*run)(void *), void *arg)
{
    pthread_t thread;

    expect(pthread_create(&thread, NULL, run, arg));
}

int main(void)
{
    static unsigned waiters[WAITERS];

    expect(fw_brlock_init(&brlock));
    expect(fw_brlock_init(&read_brlock));
    expect(fw_event_init(&set_event, FW_EVENT_MANUAL, true));
    expect(fw_sem_init(&free_sem, 2, 7));
    expect(fw_name(&mutex, "cache 1"));
    make_objects();
    leave_mutex();
    start(play_owner, NULL);
    while (!fw_once_is_done(&done_once) || fw_mutex_trylock(&owner_is_done) != 0)
        usleep(PAUSE_US);
    for (unsigned i = 0; i < WAITERS; i++) {
        waiters[i] = i;
        start(play, &waiters[i]);
    }
    for (;;) {
        debugger_looks();
        usleep(PAUSE_US);
    }
}
