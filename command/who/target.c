/* SPDX-License-Identifier: MIT */
/* Contract: target.h.  A living process, by /proc. */
#include "target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core.h"
#include "stacks.h"

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

/* All of a file of /proc, with a zero behind it; NULL: errno says why not. */
static char *read_all(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), error;
    char *text = NULL;
    size_t size = 0, room = 0;
    ssize_t n = 0;

    if (fd < 0)
        return NULL;
    do {
        size += (size_t)n;
        if (room - size < 4096) {
            room = room * 2 + 16384;
            text = must(realloc(text, room));
        }
        n = read(fd, text + size, room - size - 1);
    } while (n > 0);
    error = errno;
    close(fd);
    text[size] = '\0';
    if (n < 0) {
        free(text);
        errno = error;
        return NULL;
    }
    return text;
}

bool target_open(struct target *t, pid_t pid, char *why, size_t size)
{
    char path[64];
    struct stat about;
    char *name;

    *t = (struct target){.pid = pid, .memory = -1};
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    name = read_all(path);
    snprintf(t->name, sizeof t->name, "%.*s", name != NULL ? (int)strcspn(name, "\n") : 0,
             name != NULL ? name : "");
    free(name);
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    t->maps_text = read_all(path);
    if (t->maps_text != NULL) {
        snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
        t->memory = open(path, O_RDONLY | O_CLOEXEC);
    }
    if (t->memory < 0 || t->maps_text[0] == '\0') {
        rights_explain(pid, t->memory < 0 ? errno : 0, why, size);
        target_close(t);
        return false;
    }
    snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)pid);
    t->pid_namespace = stat(path, &about) == 0 ? about.st_ino : 0;
    target_read_maps(t);
    t->unwinder = unwinder_open(t);
    return true;
}

/* What follows from the mappings. */
static void forget(struct target *t)
{
    if (t->unwinder != NULL)
        unwinder_close(t->unwinder);
    if (t->locations != NULL)
        locations_close(t->locations);
    for (size_t i = 0; i < t->site_room; i++)
        free(t->sites[i].called);
    free(t->sites);
    free(t->maps_text);
    free(t->maps);
    t->unwinder = NULL;
    t->locations = NULL;
    t->sites = NULL;
    t->site_count = t->site_room = 0;
    t->maps_text = NULL;
    t->maps = NULL;
    t->map_count = 0;
}

bool target_refresh(struct target *t)
{
    char path[64], *text;

    snprintf(path, sizeof path, "/proc/%d/maps", (int)t->pid);
    text = read_all(path);
    if (text == NULL || text[0] == '\0') {
        free(text);
        return false;
    }
    forget(t);
    t->maps_text = text;
    target_read_maps(t);
    t->unwinder = unwinder_open(t);
    return true;
}

void target_close(struct target *t)
{
    if (t->memory >= 0)
        close(t->memory);
    forget(t);
    if (t->core != NULL)
        core_close(t->core);
    *t = (struct target){.memory = -1};
}

/* --- Memory ----------------------------------------------------------------------------------- */

size_t target_read_some(const struct target *t, uint64_t address, void *bytes, size_t size)
{
    size_t got = 0;

    if (t->core != NULL)
        return core_read(t, address, bytes, size);
    while (got < size) {
        ssize_t n = pread(t->memory, (char *)bytes + got, size - got, (off_t)(address + got));
        if (n <= 0)
            break;
        got += (size_t)n;
    }
    return got;
}

bool target_read(const struct target *t, uint64_t address, void *bytes, size_t size)
{
    return target_read_some(t, address, bytes, size) == size;
}

/* --- Threads ---------------------------------------------------------------------------------- */

pid_t *target_threads(const struct target *t, size_t *count)
{
    char path[64];
    const struct dirent *e;
    pid_t *all = NULL;
    DIR *dir;

    *count = 0;
    if (t->core != NULL)
        return core_threads(t->core, count);
    snprintf(path, sizeof path, "/proc/%d/task", (int)t->pid);
    dir = opendir(path);
    while (dir != NULL && (e = readdir(dir)) != NULL) {
        if (e->d_name[0] < '1' || e->d_name[0] > '9')
            continue;
        all = must(realloc(all, (*count + 1) * sizeof *all));
        all[(*count)++] = atoi(e->d_name);
    }
    if (dir != NULL)
        closedir(dir);
    return all;
}

/* The line of a status file that begins so; "" if there is none. */
static const char *line_of(const char *status, const char *title)
{
    const char *at = strstr(status, title);

    return at != NULL ? at + strlen(title) : "";
}

/* The last number of a line: of NSpid, the id in the thread's own namespace. */
static pid_t last_number(const char *line)
{
    pid_t last = 0;
    int length = 0, number;

    while (sscanf(line, " %d%n", &number, &length) == 1 && line[0] != '\n') {
        last = number;
        line += length;
    }
    return last;
}

bool target_thread(const struct target *t, pid_t tid, struct target_thread *about)
{
    char path[64], *status;
    const char *name;

    if (t->core != NULL)
        return core_thread(t->core, tid, about);
    snprintf(path, sizeof path, "/proc/%d/task/%d/status", (int)t->pid, (int)tid);
    status = read_all(path);
    if (status == NULL)
        return false;
    name = line_of(status, "Name:\t");
    *about = (struct target_thread){.tid = tid, .inner = last_number(line_of(status, "NSpid:"))};
    snprintf(about->name, sizeof about->name, "%.*s", (int)strcspn(name, "\n"), name);
    about->state = line_of(status, "State:\t")[0];
    about->switches = strtoull(line_of(status, "\nvoluntary_ctxt_switches:"), NULL, 10);
    if (about->inner == 0)
        about->inner = tid; /* before Linux 4.1 */
    free(status);
    return true;
}

bool target_call(const struct target *t, pid_t tid, struct target_call *call)
{
    char path[64], *text;
    uint64_t *a = call->argument, *sp = &call->registers.sp, *pc = &call->registers.pc;
    int n;

    if (t->core != NULL)
        return core_call(t->core, tid, call);
    snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)t->pid, (int)tid);
    text = read_all(path);
    if (text == NULL)
        return false;
    *call = (struct target_call){.state = TARGET_RUNNING, .number = -1};
    n = sscanf(text,
               "%" SCNd64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64
               " %" SCNx64 " %" SCNx64,
               &call->number, &a[0], &a[1], &a[2], &a[3], &a[4], &a[5], sp, pc);
    if (n == 9) {
        call->state = TARGET_ASLEEP;
    } else if (n >= 3 && call->number == -1) { /* "-1 SP PC" */
        call->state = TARGET_OTHER;
        *sp = a[0];
        *pc = a[1];
    }
    free(text);
    return true;
}
