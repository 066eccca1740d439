/* SPDX-License-Identifier: MIT */
#include "workers.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum barrier { BARRIER_CLOSED, BARRIER_OPEN, BARRIER_ABANDONED };

/* The workers share it with their starter; between processes, so it has memory of its own. */
struct start_barrier {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    unsigned arrived;
    enum barrier state;
};

struct worker_group {
    unsigned n; /* started so far */
    unsigned kind;
    void (*body)(unsigned, void *);
    void *arg;
    struct start_barrier *barrier;
    struct worker {
        struct worker_group *group;
        unsigned index;
        pthread_t thread;
        pid_t pid;
    } workers[];
};

enum {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    STACK_BYTES = 512 * 1024,
    STACK_LEAST = STACK_BYTES
#else
    STACK_BYTES = 64 * 1024, /* beyond what the C library itself needs */
    STACK_LEAST = 1
#endif
};

static size_t stack_bytes = STACK_BYTES;
static unsigned all_kinds; /* WORKER_PINNED: all groups are that */

void workers_pin(void)
{
    all_kinds |= WORKER_PINNED;
}

bool workers_pinned(void)
{
    return all_kinds & WORKER_PINNED;
}

void workers_stack(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (bytes == 0)
        bytes = STACK_BYTES;
    else if (bytes < STACK_LEAST)
        bytes = STACK_LEAST;
    stack_bytes = (bytes + page - 1) / page * page;
}

static struct start_barrier *barrier_make(void)
{
    struct start_barrier *b =
        mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_SHARED, -1, 0);
    if (b == MAP_FAILED)
        return NULL;

    pthread_mutexattr_t mutex_attr;
    pthread_condattr_t cond_attr;
    pthread_mutexattr_init(&mutex_attr);
    pthread_mutexattr_setpshared(&mutex_attr, PTHREAD_PROCESS_SHARED);
    pthread_condattr_init(&cond_attr);
    pthread_condattr_setpshared(&cond_attr, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&b->mutex, &mutex_attr);
    pthread_cond_init(&b->changed, &cond_attr);
    return b;
}

static void barrier_set(struct start_barrier *b, enum barrier state)
{
    pthread_mutex_lock(&b->mutex);
    b->state = state;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->mutex);
}

static void worker_run(struct worker *w)
{
    struct worker_group *group = w->group;
    struct start_barrier *b = group->barrier;

    if (group->kind & WORKER_PINNED)
        cpu_pin(w->index);

    pthread_mutex_lock(&b->mutex);
    b->arrived++;
    pthread_cond_broadcast(&b->changed);
    while (b->state == BARRIER_CLOSED)
        pthread_cond_wait(&b->changed, &b->mutex);
    enum barrier state = b->state;
    pthread_mutex_unlock(&b->mutex);

    if (state == BARRIER_OPEN)
        group->body(w->index, group->arg);
}

static void *worker_thread(void *worker)
{
    worker_run(worker);
    return NULL;
}

static int start_thread(struct worker *w)
{
    pthread_attr_t attr;
    long least = sysconf(_SC_THREAD_STACK_MIN);

    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, stack_bytes + (least > 0 ? (size_t)least : 0));
    int error = pthread_create(&w->thread, &attr, worker_thread, w);
    pthread_attr_destroy(&attr);
    return error;
}

static int start_process(struct worker *w)
{
    pid_t parent = getpid();

    w->pid = fork();
    if (w->pid < 0)
        return errno;
    if (w->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        worker_run(w);
        _exit(0);
    }
    return 0;
}

static int join_worker(struct worker *w)
{
    int status;

    if (!(w->group->kind & WORKER_PROCESSES))
        return pthread_join(w->thread, NULL) != 0;
    while (waitpid(w->pid, &status, 0) < 0)
        if (errno != EINTR)
            return 1;
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

struct worker_group *workers_start(unsigned n, unsigned kind, void (*body)(unsigned, void *),
                                   void *arg)
{
    struct worker_group *group = calloc(1, sizeof *group + n * sizeof group->workers[0]);

    if (group == NULL)
        return NULL;
    group->kind = kind | all_kinds;
    group->body = body;
    group->arg = arg;
    group->barrier = barrier_make();
    if (group->barrier == NULL) {
        free(group);
        return NULL;
    }

    for (; group->n < n; group->n++) {
        struct worker *w = &group->workers[group->n];
        w->group = group;
        w->index = group->n;
        int error = kind & WORKER_PROCESSES ? start_process(w) : start_thread(w);
        if (error != 0) {
            barrier_set(group->barrier, BARRIER_ABANDONED);
            workers_join(group);
            errno = error;
            return NULL;
        }
    }

    pthread_mutex_lock(&group->barrier->mutex);
    while (group->barrier->arrived < n)
        pthread_cond_wait(&group->barrier->changed, &group->barrier->mutex);
    pthread_mutex_unlock(&group->barrier->mutex);
    return group;
}

void workers_go(struct worker_group *group)
{
    barrier_set(group->barrier, BARRIER_OPEN);
}

void workers_kill(struct worker_group *group)
{
    if (group->kind & WORKER_PROCESSES)
        for (unsigned i = 0; i < group->n; i++)
            kill(group->workers[i].pid, SIGKILL);
}

int workers_join(struct worker_group *group)
{
    int failed = 0;

    for (unsigned i = 0; i < group->n; i++)
        failed += join_worker(&group->workers[i]);
    munmap(group->barrier, sizeof *group->barrier);
    free(group);
    return failed;
}

int workers_run(unsigned n, unsigned kind, void (*body)(unsigned, void *), void *arg)
{
    struct worker_group *group = workers_start(n, kind, body, arg);

    if (group == NULL)
        return errno;
    workers_go(group);
    return workers_join(group) == 0 ? 0 : -1;
}

unsigned cpus_usable(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return (unsigned)CPU_COUNT(&set);
}

bool cpus_limit(unsigned n)
{
    cpu_set_t usable, first;
    unsigned found = 0;

    if (sched_getaffinity(0, sizeof usable, &usable) != 0)
        return false;
    CPU_ZERO(&first);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE && found < n; cpu++)
        if (CPU_ISSET(cpu, &usable)) {
            CPU_SET(cpu, &first);
            found++;
        }
    return found == n && sched_setaffinity(0, sizeof first, &first) == 0;
}

int cpu_pin(unsigned i)
{
    cpu_set_t usable, one;

    if (sched_getaffinity(0, sizeof usable, &usable) != 0)
        return errno;
    i %= (unsigned)CPU_COUNT(&usable);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &usable) && i-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            return sched_setaffinity(0, sizeof one, &one) == 0 ? 0 : errno;
        }
    }
    return EINVAL;
}
