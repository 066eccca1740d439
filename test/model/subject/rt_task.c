/* SPDX-License-Identifier: MIT */
/*
 * What rt/task.c and open.c call: memory, the scheduler, and those of their own parts that record,
 * measure, and are of tier B.  A thread has one CPU at a time, and a priority, which is 0 while it
 * is an ordinary one.
 */
#include "rt_task.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "../engine/model.h"
#include "subject.h"
#include "sys/origin.h"

static __thread struct subject_task *here;

void subject_use_task(struct subject_task *memory)
{
    here = memory;
}

/* --- The C library -------------------------------------------------------------------------- */

void *subject_aligned_alloc(size_t alignment, size_t size);
void *subject_calloc(size_t n, size_t size);
void subject_free(void *p);
pid_t subject_getpid(void);
int subject_getscheduler(pid_t thread);
int subject_getparam(pid_t thread, struct sched_param *param);
int subject_setscheduler(pid_t thread, int policy, const struct sched_param *param);
int subject_setparam(pid_t thread, const struct sched_param *param);
int subject_getaffinity(pid_t thread, size_t size, cpu_set_t *cpus);
int subject_setaffinity(pid_t thread, size_t size, const cpu_set_t *cpus);

void *subject_aligned_alloc(size_t alignment, size_t size)
{
    (void)alignment;
    (void)size;
    return &here->task;
}

void *subject_calloc(size_t n, size_t size)
{
    (void)n;
    (void)size;
    here->cpus = 0;
    return &here->cpus;
}

void subject_free(void *p)
{
    (void)p;
}

uint32_t fw_thread_id_(void)
{
    return SUBJECT_FIRST_TID + model_current;
}

pid_t subject_getpid(void)
{
    return 1;
}

int subject_getscheduler(pid_t thread)
{
    (void)thread;
    return model_threads[model_current].priority == 0 ? SCHED_OTHER : SCHED_FIFO;
}

int subject_getparam(pid_t thread, struct sched_param *param)
{
    (void)thread;
    param->sched_priority = (int)model_threads[model_current].priority;
    return 0;
}

int subject_setparam(pid_t thread, const struct sched_param *param)
{
    (void)thread;
    return (int)model_op(OP_PRIORITY, NULL, 0, (uint64_t)param->sched_priority, model_current, 0,
                         0);
}

int subject_setscheduler(pid_t thread, int policy, const struct sched_param *param)
{
    (void)policy; /* SCHED_OTHER has priority 0 */
    return subject_setparam(thread, param);
}

/* The kernel's sets are larger; the room is for the first word. */
int subject_getaffinity(pid_t thread, size_t size, cpu_set_t *cpus)
{
    (void)thread;
    (void)size;
    *(uint64_t *)(void *)cpus = UINT64_C(1) << model_threads[model_current].cpu;
    return 0;
}

int subject_setaffinity(pid_t thread, size_t size, const cpu_set_t *cpus)
{
    (void)thread;
    (void)size;
    return (int)model_op(OP_MOVE, NULL, 0,
                         (uint64_t)__builtin_ctzll(*(const uint64_t *)(const void *)cpus), 0, 0, 0);
}

/* --- Their own parts ------------------------------------------------------------------------ */

void fw_rt_first_job_(struct fw_rt_task *t)
{
    (void)t;
}

struct fw_rt_trace *fw_rt_trace_begin_(const struct fw_rt_task *t)
{
    (void)t;
    return NULL;
}

void fw_rt_trace_end_(struct fw_rt_trace *trace)
{
    (void)trace;
}

void fw_rt_trace_name_(struct fw_rt_trace *trace, uint32_t lock, const char *name,
                       const char *protocol)
{
    (void)trace;
    (void)lock;
    (void)name;
    (void)protocol;
}

int fw_rt_scx_join_(struct fw_rt_task *t)
{
    (void)t;
    return ENOTSUP;
}

void fw_rt_scx_leave_(struct fw_rt_task *t)
{
    (void)t;
}

int fw_rt_scx_opened_(struct fw_rt_task *t, uint32_t d)
{
    (void)t;
    (void)d;
    return ENOTSUP;
}
