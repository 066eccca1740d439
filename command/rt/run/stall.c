/* SPDX-License-Identifier: MIT */
#include "stall.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "measure/clock.h"

/* Stalls of a round that are logged; those after them are only counted. */
enum { STALLS = 32768 };

struct run_monitor {
    bool counts, is_over;
    pthread_t thread[TASKSET_CPUS];
};

struct looker {
    struct run_cpu *cpu;
    const struct run_monitor *monitor;
    uint64_t stall;
};

static void note_stall(struct run_cpu *cpu, uint64_t from, uint64_t to)
{
    struct run_log *log = &cpu->log;

    log->is_full = log->count + 2 > log->capacity;
    if (log->is_full)
        return;
    log->event[log->count++] = (struct run_event){.ns = from, .kind = RUN_STALL};
    log->event[log->count++] = (struct run_event){.ns = to, .kind = RUN_RESUME};
}

static void *look(void *argument)
{
    struct looker l = *(struct looker *)argument;
    uint64_t now = clock_ns();

    free(argument);
    while (!__atomic_load_n(&l.monitor->is_over, __ATOMIC_RELAXED)) {
        bool counts = __atomic_load_n(&l.monitor->counts, __ATOMIC_RELAXED);
        uint64_t last = now, due = last + RUN_LOOK_NS;
        clock_sleep_until(due);
        now = clock_ns();
        if (now > due + l.stall)
            note_stall(l.cpu, due, now);
        if (counts && now > due + l.stall)
            l.cpu->stalled += now - due;
        if (counts)
            l.cpu->watched += now - last;
    }
    return NULL;
}

/* The highest priority that this user may have; 0 if that is not above all tasks'. */
static int highest_priority(const struct taskset *set)
{
    struct sched_param best = {.sched_priority = sched_get_priority_max(SCHED_FIFO)}, former;
    struct rlimit limit;
    int highest = 0, policy;

    if (pthread_getschedparam(pthread_self(), &policy, &former) == 0 &&
        pthread_setschedparam(pthread_self(), SCHED_FIFO, &best) == 0) {
        pthread_setschedparam(pthread_self(), policy, &former);
        return best.sched_priority;
    }
    if (getrlimit(RLIMIT_RTPRIO, &limit) != 0)
        return 0;
    for (int i = 0; i < set->tasks; i++)
        if (set->task[i].priority > highest)
            highest = set->task[i].priority;
    return limit.rlim_cur > (rlim_t)highest ? (int)limit.rlim_cur : 0;
}

/* On its CPU, and under its priority from the start.  (musl's attributes have no CPUs.) */
static int start(struct run_round *round, size_t i, int priority)
{
    struct looker *l = malloc(sizeof *l);
    struct sched_param param = {.sched_priority = priority};
    pthread_attr_t attr;
    cpu_set_t cpus;
    int error;

    if (l == NULL)
        abort();
    *l = (struct looker){&round->cpu[i], round->monitor, round->stall};
    CPU_ZERO(&cpus);
    CPU_SET((size_t)round->cpu[i].cpu, &cpus);
    pthread_attr_init(&attr);
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
    pthread_attr_setschedparam(&attr, &param);
    error = pthread_create(&round->monitor->thread[i], &attr, look, l);
    pthread_attr_destroy(&attr);
    if (error != 0) {
        free(l);
        return error;
    }
    error = pthread_setaffinity_np(round->monitor->thread[i], sizeof cpus, &cpus);
    if (error != 0) {
        __atomic_store_n(&round->monitor->is_over, true, __ATOMIC_RELAXED);
        pthread_join(round->monitor->thread[i], NULL);
    }
    return error;
}

static void stop(struct run_round *round, size_t threads)
{
    __atomic_store_n(&round->monitor->is_over, true, __ATOMIC_RELAXED);
    while (threads > 0)
        pthread_join(round->monitor->thread[--threads], NULL);
    free(round->monitor);
    round->monitor = NULL;
}

/* The CPUs of the set, and room for the stalls of each. */
static void find_cpus(struct run_round *round)
{
    bool is_used[TASKSET_CPUS] = {false};

    for (int i = 0; i < round->set->tasks; i++)
        is_used[round->set->task[i].cpu] = true;
    round->cpus = 0;
    round->cpu = calloc(TASKSET_CPUS, sizeof *round->cpu);
    if (round->cpu == NULL)
        abort();
    for (int cpu = 0; cpu < TASKSET_CPUS; cpu++) {
        struct run_cpu *c = &round->cpu[round->cpus];
        if (!is_used[cpu])
            continue;
        *c = (struct run_cpu){.cpu = cpu, .log.capacity = (size_t)2 * STALLS};
        c->log.event = malloc(c->log.capacity * sizeof *c->log.event);
        if (c->log.event == NULL)
            abort();
        memset(c->log.event, 0,
               c->log.capacity * sizeof *c->log.event); /* no page faults later on */
        round->cpus++;
    }
}

void rt_run_watch_begin(struct run_round *round)
{
    int priority = highest_priority(round->set);

    find_cpus(round);
    round->unwatched = priority == 0 ? EPERM : 0;
    round->monitor = calloc(1, sizeof *round->monitor);
    if (round->monitor == NULL)
        abort();
    for (size_t i = 0; i < round->cpus && round->unwatched == 0; i++) {
        round->unwatched = start(round, i, priority);
        if (round->unwatched != 0)
            stop(round, i);
    }
    if (round->unwatched != 0) {
        free(round->monitor);
        round->monitor = NULL;
    }
}

void rt_run_watch_count(struct run_round *round, bool counts)
{
    if (round->monitor != NULL)
        __atomic_store_n(&round->monitor->counts, counts, __ATOMIC_RELAXED);
}

void rt_run_watch_end(struct run_round *round)
{
    if (round->monitor != NULL)
        stop(round, round->cpus);
}
