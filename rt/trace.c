/* SPDX-License-Identifier: MIT */
/*
 * What a task records: its own file, mapped, which nobody else writes.  So recording is storing,
 * and costs the two clocks that are read; nothing is lost when the process is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "rt/internal.h"
#include "rt/trace_file.h"

_Static_assert(offsetof(struct fw_rt_trace, event) == 4096, "the head is a page");
_Static_assert(sizeof(struct fw_rt_event) == 32, "whole events in a page");
_Static_assert((FW_RT_TRACE_EVENTS & (FW_RT_TRACE_EVENTS - 1)) == 0, "a power of 2");

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from);
}

/* The groups of other processes are somewhere else: for them, all that are shared are one. */
static uint64_t group_number(const struct fw_rt_task *t)
{
    return t->group != NULL && t->group->region != NULL ? 0 : (uint64_t)(uintptr_t)t->state;
}

/* All of it is there and in memory before the task is on its way. */
static struct fw_rt_trace *map_new(int fd)
{
    void *at;
    int error = posix_fallocate(fd, 0, (off_t)sizeof(struct fw_rt_trace));

    if (error != 0) {
        errno = error;
        return NULL;
    }
    at = mmap(NULL, sizeof(struct fw_rt_trace), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
              fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

static struct fw_rt_trace *fail_to_trace(const char *path)
{
    fprintf(stderr, "furwock: cannot record real-time events in %s: %s\n", path, strerror(errno));
    return NULL;
}

static struct fw_rt_trace *make(const char *path)
{
    struct fw_rt_trace *trace;
    int error, fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0)
        return NULL;
    trace = map_new(fd);
    error = errno;
    close(fd);
    if (trace == NULL)
        unlink(path);
    errno = error;
    return trace;
}

static void fill_in(struct fw_rt_trace *trace, const struct fw_rt_task *t)
{
    const struct fw_rt_task_record *c = t->record;

    trace->group = group_number(t);
    trace->period = c->period;
    trace->deadline = c->deadline;
    trace->pid = (uint32_t)getpid();
    trace->tid = t->tid;
    trace->slot = t->slot;
    trace->tier = t->state->tier;
    trace->cpu = c->cpu;
    trace->base = c->base;
    copy(trace->name, sizeof trace->name, c->name);
    __atomic_store_n(&trace->magic, FW_RT_TRACE_MAGIC, __ATOMIC_RELEASE);
}

struct fw_rt_trace *fw_rt_trace_begin_(const struct fw_rt_task *t)
{
    const char *folder = secure_getenv("FURWOCK_RT_TRACE");
    struct fw_rt_trace *trace;
    char path[PATH_MAX];
    int length;

    if (folder == NULL || folder[0] == '\0')
        return NULL;
    /* A thread can be a task more than once. */
    length = snprintf(path, sizeof path, "%s/%d-%u-%llu" FW_RT_TRACE_ENDING, folder, (int)getpid(),
                      t->tid, (unsigned long long)now_ns());
    if (length < 0 || (size_t)length >= sizeof path) {
        errno = ENAMETOOLONG;
        return fail_to_trace(folder);
    }
    trace = make(path);
    if (trace == NULL)
        return fail_to_trace(path);
    fill_in(trace, t);
    return trace;
}

const struct fw_rt_trace *fw_rt_trace_in_memory_(struct fw_rt_task *t)
{
    if (t->trace == NULL) {
        void *at = mmap(NULL, sizeof *t->trace, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (at == MAP_FAILED)
            return NULL;
        t->trace = at;
        fill_in(t->trace, t);
    }
    return t->trace;
}

void fw_rt_trace_end_(struct fw_rt_trace *trace)
{
    if (trace != NULL)
        munmap(trace, sizeof *trace);
}

void fw_rt_trace_add_(struct fw_rt_trace *trace, uint32_t kind, uint32_t lock, uint32_t other,
                      uint64_t value)
{
    uint64_t n;
    int cpu;

    if (trace == NULL)
        return;
    n = trace->written;
    cpu = sched_getcpu();
    trace->event[n % FW_RT_TRACE_EVENTS] =
        (struct fw_rt_event){.ns = now_ns(),
                             .kind = kind,
                             .lock = lock,
                             .other = other,
                             .cpu = cpu < 0 ? trace->cpu : (uint32_t)cpu,
                             .value = value};
    __atomic_store_n(&trace->written, n + 1, __ATOMIC_RELEASE);
}

void fw_rt_trace_name_(struct fw_rt_trace *trace, uint32_t lock, const char *name,
                       const char *protocol)
{
    if (trace == NULL || lock >= FW_RT_LOCKS)
        return;
    copy(trace->lock[lock].protocol, sizeof trace->lock[lock].protocol, protocol);
    copy(trace->lock[lock].name, sizeof trace->lock[lock].name, name);
}
