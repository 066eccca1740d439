/* SPDX-License-Identifier: MIT */
/*
 * Jobs: their end, and the sleep until the next one's release.
 */
#include "rt/internal.h"

#include <errno.h>

#include "sys/clock.h"
#include "sys/clock_sleep.h"

#define NS_PER_S 1000000000u

static uint64_t cpu_time_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* The job ends now.  How many releases does it leave out? */
static uint64_t account(struct fw_rt_task *t, struct fw_rt_job *job)
{
    struct fw_rt_task_record *own = t->record;
    uint64_t total = cpu_time_ns(), now = fw_clock_ns_(), missed = 0;

    *job = (struct fw_rt_job){
        .number = t->job_number,
        .released_ns = t->next_release_ns - t->period,
        .finished_ns = now,
        .executed_ns = total - t->executed_ns,
    };
    if (now >= t->next_release_ns)
        missed = (now - t->next_release_ns) / t->period + 1;
    job->missed = missed < UINT32_MAX ? (uint32_t)missed : UINT32_MAX;
    job->late = now > job->released_ns + own->deadline;
    job->over_budget = own->budget != 0 && job->executed_ns > own->budget;
    t->executed_ns = total;
    fw_store64_relaxed(&own->jobs, own->jobs + 1);
    if (job->late)
        fw_store64_relaxed(&own->misses, own->misses + 1);
    return missed;
}

static void tell(const struct fw_rt_task *t, uint32_t kind, uint64_t value)
{
    if (t->trace != NULL)
        fw_rt_trace_add_(t->trace, kind, FW_RT_NONE, FW_RT_NONE, value);
}

static int wake_up(struct fw_rt_task *t)
{
    int error = 0;

    if (t->page == NULL)
        error = fw_rt_yield_to_first_(t);
    if (error == 0)
        fw_rt_good_();
    return error;
}

void fw_rt_first_job_(struct fw_rt_task *t)
{
    t->executed_ns = cpu_time_ns();
    t->next_release_ns = fw_clock_ns_() + t->period;
    tell(t, FW_RT_EVENT_RELEASE, 0);
}

int fw_rt_wait_period(fw_rt_task *task, struct fw_rt_job *job)
{
    uint64_t period = task->period, release, missed;
    struct fw_rt_job done;
    int error;

    if (period == 0)
        return fw_rt_fail_(EINVAL, "the task \"%.31s\" has no period", task->record->name);
    if (fw_rt_has_any_(task))
        return fw_rt_fail_(EPERM, "the task \"%.31s\" has a lock", task->record->name);
    error = fw_rt_check_cpu_(task);
    if (error != 0)
        return error;
    missed = account(task, &done);
    tell(task, FW_RT_EVENT_COMPLETE, done.late);
    if (job != NULL)
        *job = done;
    release = task->next_release_ns + missed * period;
    fw_store32_relaxed(&task->record->ready, 0);
    fw_clock_sleep_until_(release); /* no cancellation point: the task would stay in the group */
    fw_store32_relaxed(&task->record->ready, 1);
    task->job_number++;
    task->next_release_ns = release + period;
    tell(task, FW_RT_EVENT_RELEASE, task->job_number);
    return wake_up(task);
}

int fw_rt_resumed(fw_rt_task *task)
{
    return wake_up(task);
}
