/* SPDX-License-Identifier: MIT */
#include "crew.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum gate { GATE_SHUT, GATE_OPEN, GATE_ABANDONED };

/* What the members share with the starter; between processes, so in memory of its own. */
struct crew_gate {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    unsigned arrived;
    enum gate gate;
};

struct crew {
    unsigned n; /* started so far */
    unsigned kind;
    void (*body)(unsigned, void *);
    void *arg;
    struct crew_gate *gate;
    struct crew_member {
        struct crew *crew;
        unsigned index;
        pthread_t thread;
        pid_t pid;
    } members[];
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

void crew_stack(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (bytes == 0)
        bytes = STACK_BYTES;
    else if (bytes < STACK_LEAST)
        bytes = STACK_LEAST;
    stack_bytes = (bytes + page - 1) / page * page;
}

static struct crew_gate *gate_make(void)
{
    struct crew_gate *g =
        mmap(NULL, sizeof *g, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_SHARED, -1, 0);
    if (g == MAP_FAILED)
        return NULL;

    pthread_mutexattr_t mutex_attr;
    pthread_condattr_t cond_attr;
    pthread_mutexattr_init(&mutex_attr);
    pthread_mutexattr_setpshared(&mutex_attr, PTHREAD_PROCESS_SHARED);
    pthread_condattr_init(&cond_attr);
    pthread_condattr_setpshared(&cond_attr, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&g->mutex, &mutex_attr);
    pthread_cond_init(&g->changed, &cond_attr);
    return g;
}

static void gate_set(struct crew_gate *g, enum gate state)
{
    pthread_mutex_lock(&g->mutex);
    g->gate = state;
    pthread_cond_broadcast(&g->changed);
    pthread_mutex_unlock(&g->mutex);
}

static void member_run(struct crew_member *m)
{
    struct crew *c = m->crew;
    struct crew_gate *g = c->gate;

    if (c->kind & CREW_PINNED)
        cpu_pin(m->index);

    pthread_mutex_lock(&g->mutex);
    g->arrived++;
    pthread_cond_broadcast(&g->changed);
    while (g->gate == GATE_SHUT)
        pthread_cond_wait(&g->changed, &g->mutex);
    enum gate state = g->gate;
    pthread_mutex_unlock(&g->mutex);

    if (state == GATE_OPEN)
        c->body(m->index, c->arg);
}

static void *member_thread(void *member)
{
    member_run(member);
    return NULL;
}

static int start_thread(struct crew_member *m)
{
    pthread_attr_t attr;
    long least = sysconf(_SC_THREAD_STACK_MIN);

    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, stack_bytes + (least > 0 ? (size_t)least : 0));
    int error = pthread_create(&m->thread, &attr, member_thread, m);
    pthread_attr_destroy(&attr);
    return error;
}

static int start_process(struct crew_member *m)
{
    pid_t parent = getpid();

    m->pid = fork();
    if (m->pid < 0)
        return errno;
    if (m->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        member_run(m);
        _exit(0);
    }
    return 0;
}

static int join_member(struct crew_member *m)
{
    int status;

    if (!(m->crew->kind & CREW_PROCESSES))
        return pthread_join(m->thread, NULL) != 0;
    while (waitpid(m->pid, &status, 0) < 0)
        if (errno != EINTR)
            return 1;
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

struct crew *crew_start(unsigned n, unsigned kind, void (*body)(unsigned, void *), void *arg)
{
    struct crew *c = calloc(1, sizeof *c + n * sizeof c->members[0]);

    if (c == NULL)
        return NULL;
    c->kind = kind;
    c->body = body;
    c->arg = arg;
    c->gate = gate_make();
    if (c->gate == NULL) {
        free(c);
        return NULL;
    }

    for (; c->n < n; c->n++) {
        struct crew_member *m = &c->members[c->n];
        m->crew = c;
        m->index = c->n;
        int error = kind & CREW_PROCESSES ? start_process(m) : start_thread(m);
        if (error != 0) {
            gate_set(c->gate, GATE_ABANDONED);
            crew_join(c);
            errno = error;
            return NULL;
        }
    }

    pthread_mutex_lock(&c->gate->mutex);
    while (c->gate->arrived < n)
        pthread_cond_wait(&c->gate->changed, &c->gate->mutex);
    pthread_mutex_unlock(&c->gate->mutex);
    return c;
}

void crew_go(struct crew *c)
{
    gate_set(c->gate, GATE_OPEN);
}

void crew_kill(struct crew *c)
{
    if (c->kind & CREW_PROCESSES)
        for (unsigned i = 0; i < c->n; i++)
            kill(c->members[i].pid, SIGKILL);
}

int crew_join(struct crew *c)
{
    int failed = 0;

    for (unsigned i = 0; i < c->n; i++)
        failed += join_member(&c->members[i]);
    munmap(c->gate, sizeof *c->gate);
    free(c);
    return failed;
}

int crew_run(unsigned n, unsigned kind, void (*body)(unsigned, void *), void *arg)
{
    struct crew *c = crew_start(n, kind, body, arg);

    if (c == NULL)
        return errno;
    crew_go(c);
    return crew_join(c) == 0 ? 0 : -1;
}

unsigned cpus_usable(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return (unsigned)CPU_COUNT(&set);
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
