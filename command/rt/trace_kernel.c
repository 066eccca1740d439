/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace.h"

/* A switch takes some 60 bytes. */
enum { BUFFER_KB = 8192, BUFFERS_KB = 262144 };

static const char unknown_runs[] = "when tasks had a CPU is not in the trace";
static const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

static int set(const struct rt_trace_kernel *k, const char *name, const char *value)
{
    char path[PATH_MAX + 64];
    int fd, error = 0;

    snprintf(path, sizeof path, "%s/%s", k->folder, name);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    if (write(fd, value, strlen(value)) < 0)
        error = errno;
    close(fd);
    return error;
}

/* The kernel's trace has the numbers that threads have outside of all pid namespaces. */
static bool is_in_pid_namespace(void)
{
    static const ino_t first = 0xEFFFFFFC; /* PROC_PID_INIT_INO of the kernel */
    struct stat s;

    return stat("/proc/self/ns/pid", &s) == 0 && s.st_ino != first;
}

static int make_instance(struct rt_trace_kernel *k)
{
    int error = ENOENT;

    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        snprintf(k->folder, sizeof k->folder, "%s/instances/furwock-rt-%d", roots[i],
                 (int)getpid());
        if (mkdir(k->folder, 0700) == 0)
            return 0;
        if (errno != ENOENT)
            error = errno;
    }
    k->folder[0] = '\0';
    return error;
}

void rt_trace_kernel_begin(struct rt_trace_kernel *k)
{
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    char size[16];
    int error;

    *k = (struct rt_trace_kernel){0};
    if (is_in_pid_namespace()) {
        snprintf(k->why, sizeof k->why, "%s: %s", unknown_runs,
                 "in a pid namespace (a container) the kernel has other numbers for threads");
        return;
    }
    error = make_instance(k);
    snprintf(size, sizeof size, "%ld",
             cpus * BUFFER_KB > BUFFERS_KB ? BUFFERS_KB / cpus : (long)BUFFER_KB);
    if (error == 0)
        error = set(k, "trace_clock", "mono");
    if (error == 0)
        error = set(k, "buffer_size_kb", size);
    /* Of all processes: the kernel's filter by process (set_event_pid) leaves some of ours out. */
    if (error == 0)
        error = set(k, "events/sched/sched_switch/enable", "1");
    if (error == 0)
        return;
    rt_trace_kernel_end(k);
    snprintf(k->why, sizeof k->why, "%s: %s", unknown_runs,
             error == ENOENT
                 ? "no tracefs (mount -t tracefs none /sys/kernel/tracing, or -n to leave it out)"
                 : strerror(error));
}

void rt_trace_kernel_stop(struct rt_trace_kernel *k)
{
    if (k->folder[0] != '\0')
        set(k, "tracing_on", "0");
}

/* "... prev_pid=7 ... ==> next_comm=x next_pid=9 ..."; names may say anything. */
static bool read_switch(const char *line, uint64_t *ns, unsigned *cpu, uint32_t *from, uint32_t *to)
{
    const char *what = strstr(line, ": sched_switch: "), *at, *bracket, *arrow;
    unsigned long s, us;

    if (what == NULL)
        return false;
    for (at = what; at > line && at[-1] != ' ';)
        at--;
    if (sscanf(at, "%lu.%6lu", &s, &us) != 2)
        return false;
    for (bracket = at; bracket > line && *bracket != '[';)
        bracket--;
    arrow = strstr(what, " ==> ");
    if (arrow == NULL || sscanf(bracket, "[%u]", cpu) != 1)
        return false;
    at = strstr(what, " prev_pid=");
    if (at == NULL || sscanf(at, " prev_pid=%u", from) != 1)
        return false;
    at = strstr(arrow, " next_pid=");
    if (at == NULL || sscanf(at, " next_pid=%u", to) != 1)
        return false;
    *ns = ((uint64_t)s * 1000000 + us) * 1000;
    return true;
}

void rt_trace_kernel_read(struct rt_trace_kernel *k,
                          void (*take)(void *arg, uint64_t ns, unsigned cpu, uint32_t from,
                                       uint32_t to),
                          void *arg)
{
    char path[PATH_MAX + 64], *line = NULL;
    unsigned long kept, written;
    uint32_t from, to;
    size_t size = 0;
    uint64_t ns;
    unsigned cpu;
    FILE *in;

    snprintf(path, sizeof path, "%s/trace", k->folder);
    in = k->folder[0] != '\0' ? fopen(path, "re") : NULL;
    if (in == NULL)
        return;
    while (getline(&line, &size, in) > 0)
        if (read_switch(line, &ns, &cpu, &from, &to))
            take(arg, ns, cpu, from, to);
        else if (sscanf(line, "# entries-in-buffer/entries-written: %lu/%lu", &kept, &written) ==
                     2 &&
                 kept < written)
            snprintf(k->why, sizeof k->why, "the first %lu context switches were overwritten",
                     written - kept);
    free(line);
    fclose(in);
}

void rt_trace_kernel_end(struct rt_trace_kernel *k)
{
    if (k->folder[0] == '\0')
        return;
    set(k, "events/enable", "0");
    rmdir(k->folder);
    k->folder[0] = '\0';
}
