/* SPDX-License-Identifier: MIT */
#include "counters.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sys/perf_event.h"

struct counters {
    int system_calls; /* descriptors of the kernel's counters, or -1 */
    int cycles;
    int instructions;
    const char *no_system_calls;
    const char *no_cycles;
};

/* A counter of the calling thread and of all that it starts from now on; or a negative errno. */
static int open_event(uint32_t type, uint64_t config)
{
    struct perf_event_attr attr = {
        .type = type,
        .size = sizeof attr,
        .config = config,
        .inherit = 1,
        .exclude_hv = 1,
    };

    attr.exclude_kernel = type == PERF_TYPE_HARDWARE;
    return fw_perf_event_open_(&attr);
}

/* The number of the tracepoint that every system call passes; -1 if there is no tracefs. */
static long tracepoint_number(void)
{
    static const char *const paths[] = {
        "/sys/kernel/tracing/events/raw_syscalls/sys_enter/id",
        "/sys/kernel/debug/tracing/events/raw_syscalls/sys_enter/id",
    };
    char text[32];

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        int fd = open(paths[i], O_RDONLY | O_CLOEXEC);
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

static void open_system_calls(struct counters *c)
{
    long number = tracepoint_number();

    c->system_calls = -1;
    if (number < 0) {
        c->no_system_calls = "the kernel's trace events (tracefs) cannot be read";
        return;
    }
    c->system_calls = open_event(PERF_TYPE_TRACEPOINT, (uint64_t)number);
    if (c->system_calls < 0)
        c->no_system_calls = "perf_event_open is not permitted (kernel.perf_event_paranoid)";
}

static void open_cycles(struct counters *c)
{
    c->cycles = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
    c->instructions =
        c->cycles < 0 ? -1 : open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
    if (c->cycles < 0)
        c->no_cycles = c->cycles == -EACCES || c->cycles == -EPERM
                           ? "perf_event_open is not permitted (kernel.perf_event_paranoid)"
                           : "this machine shows no hardware counters";
}

struct counters *counters_open(void)
{
    struct counters *c = calloc(1, sizeof *c);

    if (c == NULL)
        return NULL;
    c->no_system_calls = "";
    c->no_cycles = "";
    open_system_calls(c);
    open_cycles(c);
    return c;
}

static bool read_event(int fd, uint64_t *value)
{
    return fd >= 0 && read(fd, value, sizeof *value) == (ssize_t)sizeof *value;
}

static void add_usage(int who, struct counts *out)
{
    struct rusage u;

    if (getrusage(who, &u) != 0)
        return;
    out->voluntary += (uint64_t)u.ru_nvcsw;
    out->involuntary += (uint64_t)u.ru_nivcsw;
    out->cpu_ns += (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000u +
                   (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000u;
}

void counters_read(const struct counters *c, struct counts *out)
{
    *out = (struct counts){0};
    add_usage(RUSAGE_SELF, out);
    add_usage(RUSAGE_CHILDREN, out);
    out->has_system_calls = read_event(c->system_calls, &out->system_calls);
    out->has_cycles =
        read_event(c->cycles, &out->cycles) && read_event(c->instructions, &out->instructions);
}

void counters_close(struct counters *c)
{
    const int all[] = {c->system_calls, c->cycles, c->instructions};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] >= 0)
            close(all[i]);
    free(c);
}

const char *counters_no_system_calls(const struct counters *c)
{
    return c->no_system_calls;
}

const char *counters_no_cycles(const struct counters *c)
{
    return c->no_cycles;
}

void counts_subtract(struct counts *from, const struct counts *what)
{
    from->voluntary -= what->voluntary;
    from->involuntary -= what->involuntary;
    from->cpu_ns -= what->cpu_ns;
    from->system_calls -= what->system_calls;
    from->cycles -= what->cycles;
    from->instructions -= what->instructions;
}
