/* SPDX-License-Identifier: MIT */
#include "task_limits.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct tightest {
    unsigned long value;
    const char *name;
};

static void consider(struct tightest *t, unsigned long value, const char *name)
{
    if (value < t->value) {
        t->value = value;
        t->name = name;
    }
}

/* A file with one number; ULONG_MAX if there is none ("max", or no such file). */
static unsigned long read_number(const char *path)
{
    FILE *f = fopen(path, "re");
    unsigned long value;

    if (f == NULL)
        return ULONG_MAX;
    if (fscanf(f, "%lu", &value) != 1)
        value = ULONG_MAX;
    fclose(f);
    return value;
}

/* pids.max of the control group that this process is in, or of the nearest one above. */
static unsigned long read_cgroup_limit(void)
{
    char line[PATH_MAX] = "", path[PATH_MAX + 32];
    FILE *f = fopen("/proc/self/cgroup", "re");
    unsigned long tightest = ULONG_MAX;

    if (f == NULL)
        return ULONG_MAX;
    while (fgets(line, sizeof(line), f) != NULL && strncmp(line, "0::", 3) != 0)
        line[0] = '\0';
    fclose(f);
    line[strcspn(line, "\n")] = '\0';
    if (line[0] == '\0')
        return ULONG_MAX;
    for (char *slash; (slash = strrchr(line, '/')) != NULL; *slash = '\0') {
        snprintf(path, sizeof(path), "/sys/fs/cgroup%s/pids.max", line + 3);
        unsigned long value = read_number(path);

        if (value < tightest)
            tightest = value;
    }
    return tightest;
}

void limits_describe(bool processes, char *text, size_t size)
{
    struct tightest t = {ULONG_MAX, NULL};
    struct rlimit r;

    if (geteuid() != 0 && getrlimit(RLIMIT_NPROC, &r) == 0 && r.rlim_cur != RLIM_INFINITY)
        consider(&t, r.rlim_cur, "RLIMIT_NPROC (ulimit -u)");
    consider(&t, read_number("/proc/sys/kernel/threads-max"), "kernel.threads-max");
    consider(&t, read_number("/proc/sys/kernel/pid_max"), "kernel.pid_max");
    consider(&t, read_cgroup_limit(), "pids.max of the control group");
    if (!processes) { /* a stack and its guard page are two mappings */
        unsigned long maps = read_number("/proc/sys/vm/max_map_count");

        consider(&t, maps != ULONG_MAX ? maps / 2 : maps, "half of vm.max_map_count");
    }
    if (t.name != NULL)
        snprintf(text, size, "the tightest limit here is %s, %lu", t.name, t.value);
    else
        snprintf(text, size, "no limit found");
}
