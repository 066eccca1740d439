/* SPDX-License-Identifier: MIT */
/* The threads of furwock rt run. */
#include <errno.h>
#include <furwock/rt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "measure/clock.h"
#include "plan.h"
#include "rt/inspect.h"
#include "run.h"
#include "stall.h"
#include "why.h"

struct scenario {
    struct run_round *round;
    fw_rt_group *group;
    pthread_barrier_t opened; /* all tasks have opened their locks */
    int64_t left;             /* jobs */
    bool is_over;             /* or cannot begin: `error` of some task */
};

struct actor {
    struct scenario *scenario;
    const struct taskset_task *task;
    struct run_log *log;
    struct run_plan plan;
    fw_rt_task *handle;
    unsigned lock[TASKSET_LOCKS]; /* descriptors */
    uint64_t last;                /* look at the clock */
    const struct fw_rt_trace *trace;
    uint64_t seen; /* events of the trace */
    int error;
    char why[200];
    pthread_t thread;
};

static void note(struct actor *a, enum run_kind kind, uint64_t ns, int lock)
{
    struct run_log *log = a->log;

    if (log->count == log->capacity) {
        log->is_full = true;
        return;
    }
    log->event[log->count++] = (struct run_event){.ns = ns, .kind = kind, .lock = lock};
}

/* Looks at the clock: has the thread had its CPU since it did so last?  For how long? */
static uint64_t look(struct actor *a)
{
    uint64_t now = clock_ns(), apart = now - a->last;

    if (apart > RUN_GAP_NS) {
        uint64_t woken = rt_run_woken(a->handle);
        note(a, RUN_STOP, a->last, TASKSET_NONE);
        if (woken > a->last) {
            note(a, RUN_HELD, a->last, TASKSET_NONE);
            note(a, RUN_WOKEN, woken, TASKSET_NONE);
        }
        note(a, RUN_START, now, TASKSET_NONE);
        apart = 0;
    }
    a->last = now;
    return apart;
}

static void execute(struct actor *a, uint64_t ns)
{
    uint64_t done = 0;

    while (done < ns)
        done += look(a);
}

/* That event says when the job, or the sleep's end, was due.  Was the thread woken later? */
static void note_woken(struct actor *a, size_t due, uint64_t woken)
{
    if (a->log->is_full || woken <= a->log->event[due].ns)
        return;
    a->log->event[due].lock = RUN_UNWOKEN;
    note(a, RUN_WOKEN, woken, TASKSET_NONE);
}

static void sleep_for(struct actor *a, uint64_t ns)
{
    uint64_t end = a->last + ns;

    note(a, RUN_STOP, a->last, TASKSET_NONE);
    note(a, RUN_SLEEP, a->last, TASKSET_NONE);
    clock_sleep_until(end);
    fw_rt_resumed(a->handle);
    note(a, RUN_WAKE, end, TASKSET_NONE);
    a->last = clock_ns();
    note_woken(a, a->log->count - 1, rt_run_woken(a->handle)); /* after a fault in WAKE, too */
    note(a, RUN_START, a->last, TASKSET_NONE);
}

static bool fail(struct actor *a, const char *what, int error)
{
    const char *why = fw_rt_strerror();

    if (error == 0)
        return true;
    a->error = error;
    snprintf(a->why, sizeof a->why, "task \"%s\", %s: %s", a->task->name, what,
             why[0] != 0 ? why : strerror(error));
    return false;
}

/* What the library has recorded in the last call: the wait for the lock, the hand-off. */
static void note_trace(struct actor *a, int lock)
{
    uint64_t written = a->trace->written;

    for (; a->seen < written; a->seen++) {
        const struct fw_rt_event *e = &a->trace->event[a->seen % FW_RT_TRACE_EVENTS];
        if (e->kind == FW_RT_EVENT_BLOCK)
            note(a, RUN_QUEUE, e->ns, lock);
        else if (e->kind == FW_RT_EVENT_WAKE)
            note(a, RUN_HAND, e->ns, lock);
    }
}

static bool do_step(struct actor *a, const struct run_step *s)
{
    int error = 0;

    switch (s->what) {
    case RUN_DO_EXECUTE:
        execute(a, s->ns);
        break;
    case RUN_DO_SLEEP:
        sleep_for(a, s->ns);
        break;
    case RUN_DO_LOCK:
        note(a, RUN_ASK, a->last, s->lock);
        error = fw_rt_lock(a->handle, a->lock[s->lock]);
        look(a);
        note_trace(a, s->lock);
        note(a, RUN_GET, a->last, s->lock);
        break;
    case RUN_DO_UNLOCK:
        note(a, RUN_LEAVE, a->last, s->lock);
        error = fw_rt_unlock(a->handle, a->lock[s->lock]);
        look(a);
        note_trace(a, s->lock);
        note(a, RUN_LEFT, a->last, s->lock);
        break;
    }
    return fail(a, s->what == RUN_DO_LOCK ? "lock" : "unlock", error);
}

/* Its release is known when it has ended. */
static bool do_job(struct actor *a)
{
    size_t release = a->log->count;
    struct fw_rt_job job;
    uint64_t woken;

    note(a, RUN_RELEASE, 0, TASKSET_NONE);
    a->last = clock_ns();
    woken = rt_run_woken(a->handle); /* after a page fault in the note, too */
    note(a, RUN_START, a->last, TASKSET_NONE);
    for (size_t i = 0; i < a->plan.count; i++)
        if (!do_step(a, &a->plan.step[i]))
            return false;
    note(a, RUN_STOP, a->last, TASKSET_NONE);
    note(a, RUN_END, a->last, TASKSET_NONE);
    if (!fail(a, "wait for the period", fw_rt_wait_period(a->handle, &job)))
        return false;
    if (!a->log->is_full)
        a->log->event[release].ns = job.released_ns;
    note_woken(a, release, woken);
    if (a->log->is_full) { /* whole jobs only */
        a->log->count = release;
        return false;
    }
    a->log->jobs++;
    a->log->misses += job.late + job.missed; /* those that were left out, too */
    if (job.finished_ns - job.released_ns > a->log->response)
        a->log->response = job.finished_ns - job.released_ns;
    return true;
}

static bool begin(struct actor *a)
{
    struct fw_rt_task_options options = {.name = a->task->name,
                                         .cpu = a->task->cpu,
                                         .priority = a->task->priority,
                                         .period_ns = a->task->period,
                                         .deadline_ns = a->task->deadline};
    const struct taskset *set = a->scenario->round->set;
    bool has_opened[TASKSET_LOCKS] = {false};

    if (!fail(a, "begin", fw_rt_task_begin(&a->handle, a->scenario->group, &options)))
        return false;
    for (int i = 0; i < a->task->sections; i++) {
        int lock = a->task->section[i].lock;
        if (has_opened[lock])
            continue;
        has_opened[lock] = true;
        if (!fail(a, set->lock[lock],
                  fw_rt_open(a->handle, set->lock[lock],
                             (fw_rt_protocol)a->scenario->round->protocol, 0, &a->lock[lock])))
            return false;
    }
    a->trace = fw_rt_trace_in_memory_(a->handle);
    return fail(a, "record waits", a->trace == NULL ? ENOMEM : 0);
}

static void *act(void *argument)
{
    struct actor *a = argument;
    bool is_good = begin(a);

    if (!is_good)
        __atomic_store_n(&a->scenario->is_over, true, __ATOMIC_RELAXED);
    if (pthread_barrier_wait(&a->scenario->opened) == PTHREAD_BARRIER_SERIAL_THREAD)
        rt_run_watch_count(a->scenario->round, true);
    /* The first job, whose release nobody knows, was to open locks. */
    if (is_good && !__atomic_load_n(&a->scenario->is_over, __ATOMIC_RELAXED))
        is_good = fail(a, "wait for the period", fw_rt_wait_period(a->handle, NULL));
    while (is_good && !__atomic_load_n(&a->scenario->is_over, __ATOMIC_RELAXED) &&
           __atomic_fetch_sub(&a->scenario->left, 1, __ATOMIC_RELAXED) > 0)
        is_good = do_job(a);
    rt_run_watch_count(a->scenario->round, false);
    __atomic_store_n(&a->scenario->is_over, true, __ATOMIC_RELAXED);
    if (a->handle != NULL)
        fw_rt_task_end(a->handle); /* EBUSY: it has failed in a section, and the program ends */
    return NULL;
}

/* Room for the task's share of the jobs, and for it to be preempted often. */
static void make_log(const struct run_round *round, int task)
{
    const struct taskset_task *t = &round->set->task[task];
    struct run_log *log = &round->log[task];
    double all = 0, share;

    for (int i = 0; i < round->set->tasks; i++)
        all += 1 / (double)round->set->task[i].period;
    share = (double)round->jobs / (double)t->period / all;
    log->capacity =
        (size_t)(share * 1.5 + 50) * (size_t)(60 + 10 * t->sections + 6 * t->suspensions);
    log->event = malloc(log->capacity * sizeof *log->event);
    if (log->event == NULL)
        abort();
    memset(log->event, 0, log->capacity * sizeof *log->event); /* no page faults later on */
}

static void run_actors(struct scenario *scenario, struct actor *actors)
{
    struct run_round *round = scenario->round;

    for (int i = 0; i < round->set->tasks; i++) {
        actors[i] = (struct actor){.scenario = scenario,
                                   .task = &round->set->task[i],
                                   .log = &round->log[i],
                                   .plan = rt_run_plan(&round->set->task[i])};
        make_log(round, i);
    }
    rt_run_watch_begin(round);
    for (int i = 0; i < round->set->tasks; i++) {
        int error = pthread_create(&actors[i].thread, NULL, act, &actors[i]);
        if (error != 0)
            command_die(COMMAND_FAILED, "no thread for a task: %s", strerror(error));
    }
    for (int i = 0; i < round->set->tasks; i++) {
        pthread_join(actors[i].thread, NULL);
        free(actors[i].plan.step);
        if (actors[i].error != 0 && round->why[0] == 0)
            snprintf(round->why, sizeof round->why, "%s", actors[i].why);
    }
    rt_run_watch_end(round);
}

bool rt_run_round(struct run_round *round)
{
    struct scenario scenario = {.round = round, .left = (int64_t)round->jobs};
    struct actor *actors = calloc((size_t)round->set->tasks, sizeof *actors);
    int error = fw_rt_group_open(&scenario.group, NULL, (fw_rt_tier)round->tier);

    round->why[0] = 0;
    round->log = calloc((size_t)round->set->tasks, sizeof *round->log);
    if (actors == NULL || round->log == NULL)
        abort();
    if (error != 0) {
        snprintf(round->why, sizeof round->why, "%s",
                 fw_rt_strerror()[0] != 0 ? fw_rt_strerror() : strerror(error));
    } else {
        round->tier = (int)fw_rt_group_tier(scenario.group);
        pthread_barrier_init(&scenario.opened, NULL, (unsigned)round->set->tasks);
        run_actors(&scenario, actors);
        pthread_barrier_destroy(&scenario.opened);
        fw_rt_group_close(scenario.group);
    }
    free(actors);
    return round->why[0] == 0;
}

void rt_run_forget(struct run_round *round)
{
    for (int i = 0; i < round->set->tasks; i++)
        free(round->log[i].event);
    for (size_t i = 0; i < round->cpus; i++)
        free(round->cpu[i].log.event);
    free(round->log);
    free(round->cpu);
    round->log = NULL;
    round->cpu = NULL;
    round->cpus = 0;
}
