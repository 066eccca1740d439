/* SPDX-License-Identifier: MIT */
/* What furwock rt trace makes of a task's file and of the kernel's switches: both are made up. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command/command.h"
#include "command/rt/trace.h"
#include "rt/trace_file.h"
#include "test/support/unit.h"

enum { TASK = 100, OTHER = 200, MS = 1000000, START = 1000 /* ms */ };

static char folder[64];
static struct rt_trace_kernel kernel;

void command_warn(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}

/* A task that tells of something at each of the times. */
static void write_task(const double *ms, size_t n)
{
    struct fw_rt_trace *trace;
    char path[128];
    int fd;

    snprintf(path, sizeof path, "%s/task%s", folder, FW_RT_TRACE_ENDING);
    fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)sizeof *trace), 0);
    trace = mmap(NULL, sizeof *trace, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(trace, MAP_FAILED);
    close(fd);
    trace->magic = FW_RT_TRACE_MAGIC;
    trace->tid = TASK;
    strcpy(trace->name, "task");
    for (size_t i = 0; i < n; i++)
        trace->event[i] =
            (struct fw_rt_event){.ns = (uint64_t)((START + ms[i]) * MS),
                                 .kind = i == 0 ? FW_RT_EVENT_BEGIN : FW_RT_EVENT_COMPLETE,
                                 .lock = FW_RT_LOCKS,
                                 .other = FW_RT_TASKS};
    trace->written = n;
    munmap(trace, sizeof *trace);
}

struct line {
    double ms;
    unsigned cpu;
    int from, to;
};

static void write_switches(const struct line *line, size_t n)
{
    char path[128];
    FILE *out;

    snprintf(path, sizeof path, "%s/trace", folder);
    out = fopen(path, "we");
    assert_non_null(out);
    fputs("# tracer: nop\n", out);
    for (size_t i = 0; i < n; i++)
        fprintf(out,
                "  a [b] ==> c-%d  [%03u] d..2. %.6f: sched_switch: prev_comm=a [b] ==> c "
                "prev_pid=%d prev_prio=1 prev_state=S ==> next_comm=d next_pid=%d next_prio=2\n",
                line[i].from, line[i].cpu, (START + line[i].ms) / 1e3, line[i].from, line[i].to);
    fclose(out);
}

/* The runs, as "from-to from-to" in ms from the beginning. */
static const char *runs(const double *ms, size_t n, const struct line *line, size_t lines)
{
    static char text[256];
    json_t *trace, *run;
    size_t i, used = 0;

    write_task(ms, n);
    write_switches(line, lines);
    kernel.why[0] = 0;
    snprintf(kernel.folder, sizeof kernel.folder, "%s", folder);
    trace = rt_trace_read(folder, &kernel);
    assert_non_null(trace);
    strcpy(text, json_is_null(json_object_get(trace, "runs")) ? "unknown" : "");
    json_array_foreach(json_object_get(trace, "runs"), i, run)
    {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.1f-%.1f", i > 0 ? " " : "",
                                 (double)json_integer_value(json_object_get(run, "from")) / MS,
                                 (double)json_integer_value(json_object_get(run, "to")) / MS);
    }
    json_decref(trace);
    return text;
}

#define RUNS(times, lines) \
    runs(times, sizeof(times) / sizeof *(times), lines, sizeof(lines) / sizeof *(lines))

TEST(all_switches)
{
    const double told[] = {0, 3, 5};
    const struct line lines[] = {{-1, 0, OTHER, TASK}, {2, 0, TASK, OTHER}, {2.5, 0, OTHER, TASK},
                                 {4, 0, TASK, OTHER},  {4.5, 1, 0, TASK},   {6, 1, TASK, 0}};

    assert_string_equal(RUNS(told, lines), "0.0-2.0 2.5-4.0 4.5-5.0");
    assert_string_equal(kernel.why, "");
}

TEST(lost_switches_in)
{
    const double told[] = {0, 3, 5};
    const struct line lines[] = {{2, 0, TASK, OTHER}, {4, 0, TASK, OTHER}, {6, 1, TASK, 0}};

    assert_string_equal(RUNS(told, lines), "0.0-2.0 3.0-4.0");
    assert_non_null(strstr(kernel.why, "3 of the tasks' 6 switches"));
}

/* By the time of which somebody else leaves its CPU, or it comes to another. */
TEST(lost_switches_out)
{
    const double told[] = {0, 1, 3.5, 5};
    const struct line lines[] = {{-1, 0, OTHER, TASK},
                                 {2, 1, OTHER, 0},
                                 {3, 0, OTHER, TASK},
                                 {4, 1, 0, TASK},
                                 {6, 1, TASK, 0}};

    assert_string_equal(RUNS(told, lines), "0.0-1.0 3.0-3.5 4.0-5.0");
    assert_non_null(strstr(kernel.why, "2 of the tasks' 6 switches"));
}

TEST(none_of_these_threads)
{
    const double told[] = {0, 5};
    const struct line lines[] = {{1, 0, OTHER, 0}, {2, 0, 0, OTHER}};

    assert_string_equal(RUNS(told, lines), "unknown");
    assert_non_null(strstr(kernel.why, "pid namespace"));
}

static int make_folder(void)
{
    strcpy(folder, "/tmp/furwock-test-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static void remove_folder(void)
{
    char path[128];

    snprintf(path, sizeof path, "%s/trace", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/task%s", folder, FW_RT_TRACE_ENDING);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

UNIT_MAIN(make_folder, remove_folder)
