/* SPDX-License-Identifier: MIT */
#include "counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sys/perf_event.h"
#include "tracepoint.h"

struct counters {
    int system_calls; /* descriptors of the kernel's counters, or negative */
    int fences;
    int cycles;
    int instructions;
    const char *no_system_calls;
    const char *no_cycles;
};

/* A counter of the calling thread and of all that it starts from now on; or a negative errno. */
static int open_hardware(uint64_t config)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof attr,
        .config = config,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };

    return fw_perf_event_open_(&attr);
}

static void open_calls(struct counters *c)
{
    long number = tracepoint_number(TRACEPOINT_SYSTEM_CALLS);

    c->system_calls = tracepoint_open(number, NULL, true);
    if (c->system_calls < 0)
        c->no_system_calls = tracepoint_missing(number);
    c->fences = tracepoint_open(tracepoint_number(TRACEPOINT_FENCES), NULL, true);
}

static void open_cycles(struct counters *c)
{
    c->cycles = open_hardware(PERF_COUNT_HW_CPU_CYCLES);
    c->instructions = c->cycles < 0 ? -1 : open_hardware(PERF_COUNT_HW_INSTRUCTIONS);
    if (c->cycles < 0)
        c->no_cycles = c->cycles == -EACCES || c->cycles == -EPERM
                           ? PERF_FORBIDDEN
                           : "this machine shows no hardware counters";
}

struct counters *counters_open(void)
{
    struct counters *c = calloc(1, sizeof *c);

    if (c == NULL)
        return NULL;
    c->no_system_calls = "";
    c->no_cycles = "";
    open_calls(c);
    open_cycles(c);
    return c;
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
    out->has_system_calls = tracepoint_read(c->system_calls, &out->system_calls);
    out->has_fences = tracepoint_read(c->fences, &out->fences);
    out->has_cycles = tracepoint_read(c->cycles, &out->cycles) &&
                      tracepoint_read(c->instructions, &out->instructions);
}

void counters_close(struct counters *c)
{
    const int all[] = {c->system_calls, c->fences, c->cycles, c->instructions};

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
    from->fences -= what->fences;
    from->cycles -= what->cycles;
    from->instructions -= what->instructions;
}
