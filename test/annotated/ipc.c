/* SPDX-License-Identifier: MIT */
/* The same for the locks between processes, which threads of one process use. */
#include <furwock/ipc.h>
#include <furwock/ipc/await.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { THREADS = 2, TIMES = 200 };

#define MUST(call)   \
    do {             \
        if ((call))  \
            abort(); \
    } while (0)

static fw_region *region;
static fw_ipc_mutex *mutex;
static fw_ipc_cond *changed;
static fw_ipc_rwlock *rwlock;
static fw_ipc_sem *sem;
static fw_ipc_permits *units;
static fw_ipc_barrier *barrier;
static fw_ipc_once *once;
static long full, moved, written, upgraded, lent, made, posted, cell[THREADS];

static int make(void *arg)
{
    made = 1;
    return arg != NULL;
}

static void put(void)
{
    MUST(fw_ipc_mutex_lock(mutex));
    while (full)
        MUST(fw_ipc_cond_wait(changed, mutex));
    full = 1;
    MUST(fw_ipc_cond_signal(changed));
    MUST(fw_ipc_mutex_unlock(mutex));
}

static void get(void)
{
    MUST(fw_ipc_mutex_lock_policy(mutex, NULL, NULL));
    while (!full)
        MUST(fw_ipc_cond_wait(changed, mutex));
    full = 0;
    moved++;
    MUST(fw_ipc_cond_broadcast(changed));
    MUST(fw_ipc_mutex_unlock(mutex));
}

static void count(void)
{
    MUST(fw_ipc_rwlock_wrlock(rwlock));
    written++;
    MUST(fw_ipc_rwlock_downgrade(rwlock));
    MUST(written <= 0);
    MUST(fw_ipc_rwlock_rdunlock(rwlock));
    MUST(fw_ipc_rwlock_upgradable_lock(rwlock));
    MUST(fw_ipc_rwlock_upgrade(rwlock));
    upgraded++;
    MUST(fw_ipc_rwlock_unlock(rwlock));
    MUST(fw_ipc_permits_wait(units));
    lent++;
    MUST(fw_ipc_permits_post(units));
#ifdef RACE
    lent++;
#endif
}

static void *work(void *arg)
{
    long *mine = arg;

    for (int i = 0; i < TIMES; i++) {
        if (mine == &cell[0])
            put();
        else
            get();
        count();
    }
    for (int i = 0; i < 20; i++) {
        ++*mine;
        MUST(fw_ipc_barrier_wait(barrier) > 0);
        MUST(cell[0] != cell[1]);
        MUST(fw_ipc_barrier_wait(barrier) > 0);
    }
    MUST(fw_ipc_once_call(once, make, NULL));
    MUST(made != 1);
    if (mine == &cell[0]) {
        posted = 1;
        MUST(fw_ipc_sem_post(sem));
    } else {
        MUST(fw_ipc_sem_wait(sem));
        posted++;
    }
    return NULL;
}

/* --- Tasks, in the locks of which the threads above block */
struct task {
    fw_await wait;
    fw_task number;
    int step, round;
};

static bool over;

static int submit(struct task *t)
{
    switch (t->step) {
    case 0:
        return fw_await_ipc_mutex(&t->wait, mutex, NULL);
    case 1:
        return fw_await_ipc_wrlock(&t->wait, rwlock, NULL);
    case 2:
        return fw_await_ipc_rdlock(&t->wait, rwlock, NULL);
    default:
        return fw_await_ipc_permits(&t->wait, units, NULL);
    }
}

static void advance(struct task *t)
{
    switch (t->step) {
    case 0:
        moved++;
        MUST(fw_task_ipc_mutex_unlock(mutex, t->number));
        break;
    case 1:
        written++;
        MUST(fw_task_ipc_rwlock_wrunlock(rwlock, t->number));
        break;
    case 2:
        MUST(written <= 0);
        MUST(fw_task_ipc_rwlock_rdunlock(rwlock, t->number));
        break;
    default:
        lent++;
        MUST(fw_task_ipc_permits_post(units, t->number));
        t->round++;
    }
    t->step = (t->step + 1) % 4;
}

static void finish(fw_await *wait, int error)
{
    struct task *t = (struct task *)wait;

    do {
        MUST(error);
        advance(t);
        over = t->round == TIMES;
    } while (!over && (error = submit(t)) != EINPROGRESS);
}

static void *run_task(void *arg)
{
    static struct task task;
    fw_loop *loop;

    MUST(fw_loop_create(&loop, NULL));
    MUST(fw_task_begin(&task.number));
    fw_await_init(&task.wait, loop, task.number, finish);
    if (submit(&task) == 0)
        finish(&task.wait, 0);
    while (!over) {
        MUST(fw_loop_wait(loop, NULL));
        fw_loop_run(loop, 0);
    }
    fw_task_end(task.number);
    MUST(fw_loop_destroy(loop));
    return arg;
}

int main(void)
{
    enum { SIZE = 1 << 18, MAKE = FW_REGION_CREATE };
    void *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_t threads[THREADS], tasks;

    MUST(memory == MAP_FAILED);
    MUST(fw_region_adopt(memory, SIZE, MAKE, &region));
    MUST(fw_region_mutex(region, "mutex", MAKE, &mutex));
    MUST(fw_region_cond(region, "changed", MAKE, &changed));
    MUST(fw_region_rwlock(region, "rwlock", MAKE, &rwlock));
    MUST(fw_region_sem(region, "sem", 0, 1, MAKE, &sem));
    MUST(fw_region_permits(region, "units", 1, MAKE, &units));
    MUST(fw_region_barrier(region, "barrier", THREADS, FW_IPC_BARRIER_FAIL, MAKE, &barrier));
    MUST(fw_region_once(region, "once", MAKE, &once));
    MUST(pthread_create(&tasks, NULL, run_task, NULL));
    for (int i = 0; i < THREADS; i++)
        MUST(pthread_create(&threads[i], NULL, work, &cell[i]));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(tasks, NULL);
    printf("%ld %ld %ld %ld\n", moved, written, upgraded, lent);
    return EXIT_SUCCESS;
}
