/* SPDX-License-Identifier: MIT */
/*
 * Which call of a lock a system call came from cannot be seen without disturbing it: to read a
 * counter between lock and unlock would be a system call, too.  But what a lock asks of the kernel
 * tells: to unlock is to wake.  So the kernel counts all system calls, and those that wake; the
 * rest (sleeps, yields, naps) belongs to locking.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "futexlock.h"

/*
 * FUTEX_WAKE, FUTEX_WAKE_OP, FUTEX_UNLOCK_PI and FUTEX_WAKE_BITSET; and the same with
 * FUTEX_PRIVATE_FLAG.  The kernel's filters know no mask.
 */
static const char wakes[] = "op == 1 || op == 5 || op == 7 || op == 10 || "
                            "op == 129 || op == 133 || op == 135 || op == 138";

static const struct event {
    const char *name;
    const char *filter; /* NULL: all of them */
} waking[] = {{"syscalls/sys_enter_futex", wakes}, {"syscalls/sys_enter_futex_wake", NULL}};

enum { WAKING = sizeof waking / sizeof *waking };

struct calls {
    int all;
    int waking[WAKING]; /* -1: not there */
};

/* The tracepoint's number; -1 where there is none. */
static long number_of(const char *name)
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

/* A counter that is off, of the calling thread and of all that it starts. */
static int open_event(const struct event *e)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_TRACEPOINT, .size = sizeof attr, .disabled = 1, .inherit = 1};
    long number = number_of(e->name);

    if (number < 0)
        return -1;
    attr.config = (uint64_t)number;
    int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd >= 0 && e->filter != NULL && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, e->filter) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

struct calls *calls_open(const char **why)
{
    static const struct event every = {"raw_syscalls/sys_enter", NULL};
    struct calls *c = calloc(1, sizeof *c);

    *why = "no memory";
    if (c == NULL)
        return NULL;
    c->all = open_event(&every);
    if (c->all < 0) {
        *why = number_of(every.name) < 0
                   ? "the kernel's trace events (tracefs) cannot be read"
                   : "perf_event_open is not permitted (kernel.perf_event_paranoid)";
        free(c);
        return NULL;
    }
    for (int i = 0; i < WAKING; i++)
        c->waking[i] = open_event(&waking[i]);
    *why = "";
    return c;
}

static void switch_all(const struct calls *c, unsigned long request)
{
    ioctl(c->all, request, 0);
    for (int i = 0; i < WAKING; i++)
        if (c->waking[i] >= 0)
            ioctl(c->waking[i], request, 0);
}

void calls_start(struct calls *c)
{
    switch_all(c, PERF_EVENT_IOC_ENABLE);
}

static uint64_t count_of(int fd)
{
    uint64_t count = 0;

    return fd >= 0 && read(fd, &count, sizeof count) == (ssize_t)sizeof count ? count : 0;
}

void calls_stop(struct calls *c, struct call_counts *out)
{
    switch_all(c, PERF_EVENT_IOC_DISABLE);
    *out = (struct call_counts){.known = true, .split = c->waking[0] >= 0};
    for (int i = 0; i < WAKING; i++)
        out->unlock += count_of(c->waking[i]);
    uint64_t all = count_of(c->all);
    out->lock = all > out->unlock ? all - out->unlock : 0;
}

void calls_close(struct calls *c)
{
    if (c == NULL)
        return;
    close(c->all);
    for (int i = 0; i < WAKING; i++)
        if (c->waking[i] >= 0)
            close(c->waking[i]);
    free(c);
}
