/* SPDX-License-Identifier: MIT */
#include "tracepoint.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sys/perf_event.h"

long tracepoint_number(const char *name)
{
    static const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
    char path[128], text[32];

    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        snprintf(path, sizeof path, "%s/events/%s/id", roots[i], name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            continue;
        ssize_t got = read(fd, text, sizeof text - 1);
        close(fd);
        if (got > 0) {
            text[got] = '\0';
            return strtol(text, NULL, 10);
        }
    }
    return -1;
}

int tracepoint_open(long number, const char *filter, bool begun)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT,
                                   .size = sizeof attr,
                                   .config = (uint64_t)number,
                                   .disabled = !begun,
                                   .inherit = 1};
    int fd = number < 0 ? -ENOENT : fw_perf_event_open_(&attr);

    if (fd >= 0 && filter != NULL && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) != 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    return fd;
}

void tracepoint_switch(int fd, bool on)
{
    if (fd >= 0)
        ioctl(fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

bool tracepoint_read(int fd, uint64_t *count)
{
    return fd >= 0 && read(fd, count, sizeof *count) == (ssize_t)sizeof *count;
}

const char *tracepoint_missing(long number)
{
    return number < 0 ? "the kernel's trace events (tracefs) cannot be read" : PERF_FORBIDDEN;
}
