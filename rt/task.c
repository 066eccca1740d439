/* SPDX-License-Identifier: MIT */
/*
 * Tasks: how a thread becomes one, and what it was again.
 */
#include "rt/internal.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/origin.h"

/* The calling thread's task; in a forked child, its parent's. */
static __thread struct fw_rt_task *self;

/* More than any kernel has. */
enum { MOST_CPUS = 1 << 20 };

/* Never quiet. */
static const uint64_t never = UINT64_MAX;

static int check_options(const struct fw_rt_task_options *o)
{
    if (o->priority < 1 || o->priority > FW_RT_PRIORITY_MAX)
        return fw_rt_fail_(EINVAL, "the priority is %d, and not 1 to %d", o->priority,
                           FW_RT_PRIORITY_MAX);
    if (o->cpu < 0 || o->cpu >= (int)FW_RT_CPUS)
        return fw_rt_fail_(EINVAL, "there is no CPU %d", o->cpu);
    if (o->deadline_ns > o->period_ns)
        return fw_rt_fail_(EINVAL, "the deadline (%llu ns) lies after the period (%llu ns)",
                           (unsigned long long)o->deadline_ns, (unsigned long long)o->period_ns);
    if (o->name != NULL && strnlen(o->name, FW_RT_NAME) > FW_RT_NAME_MAX)
        return fw_rt_fail_(EINVAL, "a task's name has at most %d bytes", FW_RT_NAME_MAX);
    return 0;
}

/* A record that nobody has, or a dead task's.  Under the state's lock, which all claims are made
 * under: a record that is JOINING belongs to somebody who has died over it. */
static struct fw_rt_task_record *find_record(struct fw_rt_task *t)
{
    struct fw_rt_state *w = t->state;
    uint32_t i;

    for (i = 0; i < FW_RT_TASKS; i++) {
        struct fw_rt_task_record *c = &w->task[i];
        if (c->state == FW_RT_FREE || c->state == FW_RT_JOINING ||
            (c->state == FW_RT_DEAD && fw_rt_locks_of(c) == 0))
            return c;
    }
    for (i = 0; i < FW_RT_TASKS; i++) {
        if (fw_rt_is_alive_(&w->task[i]))
            continue;
        fw_rt_reap_(t, i);
        return &w->task[i];
    }
    return NULL;
}

/* `record_lock` and `unlock_call` stay: they may be in use on behalf of the task before. */
static void fill_in(struct fw_rt_task *t, const struct fw_rt_task_options *o)
{
    struct fw_rt_task_record *c = t->record;

    memset(c->name, 0, sizeof c->name);
    if (o->name != NULL)
        strncpy(c->name, o->name, sizeof c->name - 1);
    else
        snprintf(c->name, sizeof c->name, "task %u", (unsigned)t->slot);
    fw_store64_relaxed(&c->held, 0);
    c->stamp = c->ticket = c->opened = c->jobs = c->misses = c->since = c->worst = 0;
    memset(c->at, 0, sizeof c->at);
    c->proxy = c->reaped = c->unlocked = c->request = c->grant = c->behind = 0;
    c->base = (uint32_t)o->priority;
    c->cpu = (uint32_t)o->cpu;
    c->period = o->period_ns;
    c->deadline = o->deadline_ns != 0 ? o->deadline_ns : o->period_ns;
    c->budget = o->budget_ns;
    c->started = t->started;
    c->ready = 1;
    /* It may name the task before in this record. */
    fw_store64_relaxed(&t->state->cpu[c->cpu % FW_RT_CPUS].last, 0);
    fw_store32_relaxed(&c->tid, t->tid);
    fw_rt_liveness_begin_(t);
}

/* Beside the locks that are orphaned: it starts again from 0. */
static void count_begun(uint32_t *begun)
{
    uint32_t seen = fw_load32_relaxed(begun), next;

    do
        next = (seen & ~(FW_RT_ORPHANED - 1)) | ((seen + 1) & (FW_RT_ORPHANED - 1));
    while (!fw_cas32_release(begun, &seen, next)); /* n -> n + 1 */
}

static int claim(struct fw_rt_task *t, const struct fw_rt_task_options *o)
{
    struct fw_rt_state *w = t->state;
    struct fw_robust_ r;
    int error = 0;

    fw_rt_state_lock_(w, t->tid, t->shared, &r); /* F:rt-begin-unguarded */
    fw_rt_reap_former_(t);
    t->record = find_record(t);
    if (t->record != NULL) {
        t->slot = (uint32_t)(t->record - w->task);
        /* Under its record lock: its reaper has finished, or comes too late. */
        fw_rt_pi_lock_(w, &t->record->record_lock, t->tid, t->shared);
        fw_store32_relaxed(&t->record->state, FW_RT_JOINING); /* FREE, JOINING, DEAD -> JOINING */
        fw_rt_forget_user_(w, t->slot);
        fw_rt_boost_reap_(t, t->slot);
        fill_in(t, o);
        if (w->tasks <= t->slot)
            fw_store32_release(&w->tasks, t->slot + 1);
        fw_store32_release(&t->record->state, FW_RT_LIVE); /* JOINING -> LIVE */
        fw_rt_pi_unlock_(&t->record->record_lock, t->tid, t->shared);
        count_begun(&w->begun); /* F:rt-begin-uncounted */
    } else {
        error = fw_rt_fail_(EAGAIN, "the group has %d tasks already", FW_RT_TASKS_MAX);
    }
    fw_rt_state_unlock_(w, t->tid, t->shared, &r);
    return error;
}

static void unclaim(struct fw_rt_task *t)
{
    struct fw_rt_state *w = t->state;
    struct fw_robust_ r;

    fw_rt_state_lock_(w, t->tid, t->shared, &r);
    fw_rt_forget_user_(w, t->slot); /* F:rt-end-keeps-locks */
    fw_store32_relaxed(&t->record->ready, 0);
    fw_store32_release(&t->record->state, FW_RT_FREE); /* LIVE -> FREE */
    fw_rt_liveness_end_(t);
    fw_rt_state_unlock_(w, t->tid, t->shared, &r);
}

/* As large as the kernel wants the set to be, which it does not tell. */
static void keep_old_cpus(struct fw_rt_task *t)
{
    size_t size;

    for (size = sizeof(cpu_set_t); size <= MOST_CPUS / 8; size *= 2) {
        cpu_set_t *cpus = calloc(1, size);
        int error = cpus != NULL && sched_getaffinity(0, size, cpus) != 0 ? errno : 0;
        if (cpus != NULL && error == 0) {
            t->old_cpus = (uint64_t *)cpus;
            t->old_cpus_size = size;
            return;
        }
        free(cpus);
        if (error != EINVAL)
            return;
    }
}

static void keep_old_way(struct fw_rt_task *t)
{
    struct sched_param old = {0};

    keep_old_cpus(t);
    t->started = fw_rt_started_(t->tid); /* not in claim: under SCHED_FIFO nothing of /proc */
    t->old_policy = sched_getscheduler(0);
    sched_getparam(0, &old);
    t->old_priority = old.sched_priority;
}

/* The mirror of change_way: away from the CPU while the priority still counts there. */
static void restore_old_way(const struct fw_rt_task *t)
{
    struct sched_param old = {.sched_priority = t->old_priority};

    if (t->old_cpus != NULL) /* F:rt-end-priority-first */
        sched_setaffinity(0, t->old_cpus_size, (const cpu_set_t *)t->old_cpus);
    sched_setscheduler(0, t->old_policy, &old);
}

/*
 * Under its priority (tier A), and only then onto its CPU: a thread that came there as it was
 * before would not run until every real-time thread of that CPU sleeps, however urgent the task is.
 */
static int change_way(struct fw_rt_task *t, const struct fw_rt_task_options *o)
{
    struct sched_param param = {.sched_priority = o->priority};
    int policy = SCHED_FIFO | (t->old_policy & SCHED_RESET_ON_FORK); /* which may not be dropped */
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    CPU_SET((size_t)o->cpu, &cpus);
    /* F:rt-begin-cpu-first */
    if (t->state->tier == FW_RT_TIER_A && sched_setscheduler(0, policy, &param) != 0)
        return fw_rt_fail_(EPERM,
                           "no right to SCHED_FIFO at priority %d: it needs CAP_SYS_NICE, or"
                           " RLIMIT_RTPRIO (ulimit -r) of %d",
                           o->priority, o->priority);
    if (sched_setaffinity(0, sizeof cpus, &cpus) != 0)
        return fw_rt_fail_(
            EINVAL, "the thread may not run on CPU %d: there is none, or none for it", o->cpu);
    return 0;
}

static void tell(const struct fw_rt_task *t, uint32_t kind, uint32_t lock, uint64_t value)
{
    if (t->trace != NULL)
        fw_rt_trace_add_(t->trace, kind, lock, FW_RT_NONE, value);
}

/* The task holds no lock. */
static void leave(struct fw_rt_task *t)
{
    tell(t, FW_RT_EVENT_END, FW_RT_NONE, 0);
    fw_rt_trace_end_(t->trace);
    if (t->page != NULL)
        fw_rt_scx_leave_(t);
    else
        fw_rt_proxy_leave_slow_(t); /* PROXY6  F:rt-end-keeps-proxies */
    unclaim(t);
    restore_old_way(t);
}

static int begin(struct fw_rt_task *t, const struct fw_rt_task_options *o)
{
    int error;

    keep_old_way(t);
    error = change_way(t, o);
    if (error == 0)
        error = claim(t, o);
    if (error == 0 && t->group->scx != NULL) {
        error = fw_rt_scx_join_(t);
        if (error != 0)
            unclaim(t);
    }
    if (error != 0) {
        restore_old_way(t);
        return error;
    }
    t->trace = fw_rt_trace_begin_(t);
    tell(t, FW_RT_EVENT_BEGIN, t->record->cpu, t->record->base);
    fw_rt_first_job_(t);
    /* F:rt-begin-blindly */
    error = t->page == NULL ? fw_rt_yield_to_first_(t) : 0; /* WAKE1: it is as one that wakes up */
    if (error != 0)
        leave(t);
    return error;
}

/* A forked child has its parent's count, and none of its tasks. */
static void count_in(struct fw_rt_group *group)
{
    if (group->process != getpid()) {
        group->process = getpid();
        group->tasks = 0;
    }
    fw_add32_relaxed(&group->tasks, 1);
}

int fw_rt_task_begin(fw_rt_task **task, fw_rt_group *group,
                     const struct fw_rt_task_options *options)
{
    struct fw_rt_task *t;
    uint32_t tid = fw_thread_id_();
    int error = check_options(options);

    if (error != 0)
        return error;
    if (self != NULL && self->tid == tid)
        return fw_rt_fail_(EBUSY, "the thread is a task already, \"%.31s\"", self->record->name);
    if (group->region == NULL && group->process != getpid())
        return fw_rt_fail_(EINVAL, "the group has no path, and belongs to the parent process");
    t = aligned_alloc(64, (sizeof *t + 63) / 64 * 64);
    if (t == NULL)
        return fw_rt_fail_(ENOMEM, "no memory for a task");
    memset(t, 0, sizeof *t);
    t->group = group;
    t->state = group->state;
    t->shared = group->shared;
    t->period = options->period_ns;
    t->tid = tid;
    t->peer[0] = &never; /* until the first lock has looked around (ceiling.c) */
    t->peers = 1;
    error = begin(t, options);
    if (error != 0) {
        free(t->old_cpus);
        free(t);
        return error;
    }
    self = *task = t;
    count_in(group);
    fw_rt_good_();
    return 0;
}

int fw_rt_task_end(fw_rt_task *task)
{
    if (fw_rt_has_any_(task))
        return fw_rt_fail_(EBUSY, "the task \"%.31s\" has a lock", task->record->name);
    leave(task);
    fw_add32_acq_rel(&task->group->tasks, (uint32_t)-1);
    self = NULL;
    free(task->old_cpus);
    free(task);
    fw_rt_good_();
    return 0;
}
