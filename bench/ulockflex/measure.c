/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "measure/clock.h"
#include "measure/task_limits.h"
#include "measure/tracepoint.h"
#include "measure/turns.h"
#include "measure/workers.h"
#include "run.h"

/*
 * Tasks run for this long before measuring begins: caches fill, queues form.  With more tasks than
 * CPUs that takes some turns of the scheduler, in each of which every task has the CPU for a slice.
 */
#define WARM_FRACTION 0.1
#define WARM_MAX_SECONDS 0.05

/* How long to wait at least until each task has had the CPU once. */
#define START_LEAST_SECONDS 5.0
#define START_POLL_SECONDS 0.001

struct run {
    struct shared_state *shared;
    struct window *window;
    int calls;  /* counts system calls; negative: none does */
    int fences; /* counts calls of membarrier; as above */
};

static void task(unsigned number, void *shared)
{
    task_run(shared, number);
}

/* Whether a task that is a process has ended while it should run; says so. */
static bool has_lost_one(const struct run *r)
{
    siginfo_t info = {.si_pid = 0};

    if (!r->shared->options->processes ||
        waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
        return false;
    if (info.si_code == CLD_EXITED)
        complain("task %d ended with status %d", info.si_pid, info.si_status);
    else
        complain("task %d was ended by signal %d (%s)", info.si_pid, info.si_status,
                 strsignal(info.si_status));
    return true;
}

/* SIGCHLD is blocked, so that it ends the sleep and nothing else. */
static void block_sigchld(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    sigprocmask(SIG_BLOCK, set, NULL);
}

/* Sleeps; false at once, with a line on stderr, when a task has died. */
static bool sleep_watching(const struct run *r, double seconds)
{
    uint64_t until = clock_ns() + (uint64_t)(seconds * 1e9);
    sigset_t child;

    block_sigchld(&child);
    for (;;) {
        uint64_t now = clock_ns();

        if (has_lost_one(r))
            return false;
        if (now >= until)
            return true;
        struct timespec left = {.tv_sec = (time_t)((until - now) / 1000000000u),
                                .tv_nsec = (long)((until - now) % 1000000000u)};

        sigtimedwait(&child, NULL, &left);
    }
}

static unsigned not_started(const struct run *r)
{
    return r->shared->options->tasks -
           __atomic_load_n(&r->shared->control->started, __ATOMIC_RELAXED);
}

/* Waits until every task has had the CPU once, or should have had it. */
static bool await_started(const struct run *r)
{
    double longest = turns_start_seconds(r->shared->options->tasks, START_LEAST_SECONDS);
    uint64_t until = clock_ns() + (uint64_t)(longest * 1e9);

    while (not_started(r) != 0 && clock_ns() < until)
        if (!sleep_watching(r, START_POLL_SECONDS))
            return false;
    return true;
}

/* The time before measuring, in which nothing is counted. */
static bool warm_up(const struct run *r)
{
    const struct options *o = r->shared->options;
    double caches = fmin(o->seconds * WARM_FRACTION, WARM_MAX_SECONDS);

    return await_started(r) && sleep_watching(r, turns_warm_seconds(o->tasks, caches));
}

static void set_phase(struct run *r, enum phase phase)
{
    __atomic_store_n(&r->shared->control->phase, phase, __ATOMIC_RELAXED);
}

/* Fills in what each task has done, or what it has done since. */
static void read_counts(struct run *r, bool since)
{
    uint64_t *counts = r->window->counts;

    for (unsigned i = 0; i < r->shared->options->tasks; i++) {
        uint64_t n = __atomic_load_n(&r->shared->results[i].iterations, __ATOMIC_RELAXED);

        counts[i] = since ? n - counts[i] : n;
    }
}

static int64_t stop_counting(int fd)
{
    uint64_t count;

    tracepoint_switch(fd, false);
    return tracepoint_read(fd, &count) ? (int64_t)count : -1;
}

static bool watch(struct run *r)
{
    const struct options *o = r->shared->options;

    if (!warm_up(r))
        return false;
    r->window->late = not_started(r);
    tracepoint_switch(r->calls, true);
    tracepoint_switch(r->fences, true);
    set_phase(r, PHASE_MEASURE);
    uint64_t begin = clock_ns();

    read_counts(r, false);
    bool alive = sleep_watching(r, o->seconds);

    r->window->seconds = (double)(clock_ns() - begin) / 1e9;
    read_counts(r, true);
    r->window->syscalls = stop_counting(r->calls);
    r->window->fences = stop_counting(r->fences);
    set_phase(r, PHASE_STOP);
    return alive;
}

static struct worker_group *start(struct shared_state *s)
{
    const struct options *o = s->options;
    struct worker_group *c =
        workers_start(o->tasks, o->processes ? WORKER_PROCESSES : WORKER_THREADS, task, s);
    char limit[160];
    int error = errno;

    if (c != NULL)
        return c;
    limits_describe(o->processes, limit, sizeof(limit));
    complain("cannot start %u tasks: %s; %s", o->tasks, strerror(error), limit);
    return NULL;
}

/* Before the tasks start, which they count. */
static void open_counters(struct run *r)
{
    const struct options *o = r->shared->options;

    r->calls = tracepoint_open(o->event, NULL, false);
    if (r->calls < 0)
        r->window->syscalls_why = strerror(-r->calls);
    r->fences = tracepoint_open(o->fence_event, NULL, false);
}

bool measure(struct shared_state *s, struct window *w)
{
    const struct options *o = s->options;
    struct run r = {.shared = s, .window = w, .calls = -1, .fences = -1};
    sigset_t child;

    w->counts = calloc(o->tasks, sizeof(*w->counts));
    if (w->counts == NULL) {
        complain("no memory for %u tasks", o->tasks);
        return false;
    }
    if (o->probe == PROBE_SYSCALLS)
        open_counters(&r);
    block_sigchld(&child);

    struct worker_group *c = start(s);

    if (c == NULL)
        return false;
    workers_go(c);
    bool good = watch(&r);

    if (!good)
        workers_kill(c);
    /* After STOP each task ends its iteration; one that waits for its lock gets it once more. */
    bool ended = workers_join(c) == 0;

    if (good && !ended)
        complain("a task failed after the measured time");
    return good && ended;
}
