/* SPDX-License-Identifier: MIT */
/* Contract: processes.h. */
#include "processes.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/print/visible.h"

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

/* --- /proc ------------------------------------------------------------------------------------ */

static bool read_word(const char *path, char *text, size_t size)
{
    FILE *in = fopen(path, "re");
    size_t got = in != NULL ? fread(text, 1, size - 1, in) : 0;

    if (in != NULL)
        fclose(in);
    text[got] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return got > 0;
}

void processes_thread_name(pid_t tid, char name[16])
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/comm", (int)tid);
    read_word(path, name, 16);
    visible(name);
}

/* When it began, in the kernel's ticks; 0: there is none, or it has ended. */
static uint64_t start_of(pid_t pid)
{
    enum { FIELDS_BEFORE = 19 }; /* from the state, which is behind the name */
    char path[64], text[1024];

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (!read_word(path, text, sizeof text))
        return 0;
    char *at = strrchr(text, ')');
    if (at == NULL || strchr("ZX", at[2]) != NULL) /* it has ended, and its parent has not asked */
        return 0;
    for (int i = 0; at != NULL && i <= FIELDS_BEFORE; i++)
        at = strchr(at + 1, ' ');
    return at != NULL ? strtoull(at, NULL, 10) : 0;
}

/* --- The list --------------------------------------------------------------------------------- */

static struct process *find(const struct processes *p, pid_t pid)
{
    for (unsigned i = p->count; i-- > 0;)
        if (p->all[i]->shown.pid == pid && !p->all[i]->has_ended)
            return p->all[i];
    return NULL;
}

static void read_names(struct waits_process *p)
{
    char path[64], text[sizeof p->program];
    ssize_t length;

    snprintf(path, sizeof path, "/proc/%d/comm", (int)p->pid);
    if (read_word(path, text, sizeof p->name))
        memcpy(p->name, visible(text), sizeof p->name);
    snprintf(path, sizeof path, "/proc/%d/exe", (int)p->pid);
    length = readlink(path, text, sizeof text - 1);
    if (length <= 0)
        return;
    text[length] = '\0';
    memcpy(p->program, visible(text), (size_t)length + 1);
}

struct process *processes_get(struct processes *p, pid_t pid)
{
    struct process *found = find(p, pid);
    uint64_t started = found == NULL ? start_of(pid) : 0;

    if (found != NULL || started == 0)
        return found;
    found = must(calloc(1, sizeof *found));
    found->started = started;
    found->shown.pid = pid;
    read_names(&found->shown);
    p->all = must(realloc(p->all, (p->count + 1) * sizeof(struct process *)));
    p->all[p->count++] = found;
    return found;
}

struct stacks_process *processes_stacks(struct process *p)
{
    if (p->stacks == NULL) {
        read_names(&p->shown); /* it may have called exec since */
        p->stacks = stacks_open(p->shown.pid);
    }
    return p->stacks;
}

static void see_who_lives(struct processes *p, struct fw_waits *waits)
{
    for (unsigned i = 0; i < p->count; i++) {
        struct process *each = p->all[i];
        if (each->has_ended || start_of(each->shown.pid) == each->started)
            continue;
        each->has_ended = true;
        fw_waits_observe(waits, each->shown.pid, false);
    }
}

bool processes_have_ended(const struct processes *p)
{
    for (unsigned i = 0; i < p->count; i++)
        if (p->all[i]->has_ended && !p->all[i]->is_forgotten)
            return true;
    return false;
}

void processes_forget(struct processes *p, struct fw_waits *waits)
{
    for (unsigned i = 0; i < p->count; i++) {
        struct process *each = p->all[i];
        if (!each->has_ended || each->is_forgotten)
            continue;
        stacks_close(each->stacks);
        each->stacks = NULL;
        each->is_forgotten = true;
        fw_waits_forget(waits, each->shown.pid);
    }
}

static bool is_wanted(pid_t pid, const struct watch_options *o)
{
    char path[64], name[32];

    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    if (pid == getpid() || !read_word(path, name, sizeof name))
        return false;
    for (unsigned i = 0; i < o->name_count; i++)
        if (strncmp(name, o->names[i], 15) == 0) /* the kernel has no more of a name */
            return true;
    return false;
}

static void find_named(struct processes *p, struct fw_waits *waits, const struct watch_options *o)
{
    DIR *dir = opendir("/proc");
    const struct dirent *e;

    while (dir != NULL && (e = readdir(dir)) != NULL) {
        pid_t pid = atoi(e->d_name);
        struct process *each = pid > 0 ? find(p, pid) : NULL;
        if (pid <= 0 || ((each == NULL || !each->is_named) && !is_wanted(pid, o)))
            continue;
        each = processes_get(p, pid);
        if (each == NULL)
            continue;
        each->is_named = true;
        fw_waits_observe(waits, pid, true);
    }
    if (dir != NULL)
        closedir(dir);
}

void processes_find(struct processes *p, struct fw_waits *waits, const struct watch_options *o)
{
    bool is_first = p->count == 0;

    see_who_lives(p, waits);
    p->living = 0;
    for (unsigned i = 0; i < o->pid_count; i++) {
        struct process *each = is_first ? processes_get(p, o->pids[i]) : find(p, o->pids[i]);
        if (each == NULL)
            continue;
        fw_waits_observe(waits, o->pids[i], true);
        p->living++;
    }
    if (o->name_count > 0)
        find_named(p, waits, o);
}

void processes_free(struct processes *p)
{
    for (unsigned i = 0; i < p->count; i++) {
        stacks_close(p->all[i]->stacks);
        free(p->all[i]);
    }
    free(p->all);
    *p = (struct processes){.all = NULL};
}
