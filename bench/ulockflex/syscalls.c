/* SPDX-License-Identifier: MIT */
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "run.h"

/* A tracepoint counts in the kernel, also for tasks that are started later (inherit). */
int syscalls_open(unsigned long event)
{
    struct perf_event_attr attr;

    memset(&attr, 0, sizeof(attr));
    attr.type = PERF_TYPE_TRACEPOINT;
    attr.size = sizeof(attr);
    attr.config = event;
    attr.disabled = 1;
    attr.inherit = 1;
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void syscalls_start(int fd)
{
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

int64_t syscalls_stop(int fd)
{
    uint64_t count;

    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    return read(fd, &count, sizeof(count)) == sizeof(count) ? (int64_t)count : -1;
}
