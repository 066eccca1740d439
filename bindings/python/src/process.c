/* SPDX-License-Identifier: MIT */
/* Which process, and whether it is alive.  Contract: process.h. */
#include "process.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fwpy.h"

#include "ipc/region/participant.h"
#include "sys/origin.h"

/* Of /proc/PID/stat, counted as proc(5) does. */
enum { STATE = 3, STARTED = 22, STACK = 28 };

/* The longest line of stat that has the fields up to STACK. */
enum { STAT_SIZE = 1024 };

struct stat_line {
    char state;
    uint64_t started, stack;
};

/* False: there is no such process, or no /proc. */
static bool read_stat(uint64_t pid, struct stat_line *line)
{
    char path[40], text[STAT_SIZE], *at, *rest;
    ssize_t n;
    int fd;

    snprintf(path, sizeof path, "/proc/%llu/stat", (unsigned long long)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0)
        return false;
    text[n] = 0;
    at = strrchr(text, ')'); /* the name before it may contain anything */
    if (at == NULL)
        return false;
    *line = (struct stat_line){0, 0, 0};
    at = strtok_r(at + 1, " ", &rest);
    for (int field = STATE; at != NULL && field <= STACK;
         field++, at = strtok_r(NULL, " ", &rest)) {
        if (field == STATE)
            line->state = *at;
        else if (field == STARTED)
            line->started = strtoull(at, NULL, 10);
        else if (field == STACK)
            line->stack = strtoull(at, NULL, 10);
    }
    return line->started != 0;
}

/* What is known of the calling process; read anew after a fork. */
static struct fwpy_process cache;
static uint64_t cached; /* the generation of which the cache is, + 1; 0: none */
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;

static struct fwpy_process read_this_process(void)
{
    struct stat_line line = {0, 0, 0};
    uint64_t pid = (uint64_t)getpid();

    read_stat(pid, &line);
    return (struct fwpy_process){pid, fw_pid_namespace_(), line.started, line.stack};
}

struct fwpy_process fwpy_this_process(void)
{
    uint64_t generation = fwpy_fork_generation + 1;
    struct fwpy_process p;

    if (__atomic_load_n(&cached, __ATOMIC_ACQUIRE) == generation)
        return cache;
    p = read_this_process();
    if (pthread_mutex_trylock(&cache_lock) == 0) { /* if it is held: next time, or never */
        if (cached != generation) {
            cache = p;
            __atomic_store_n(&cached, generation, __ATOMIC_RELEASE);
        }
        pthread_mutex_unlock(&cache_lock);
    }
    return p;
}

/* Another living participant of the process; 0: there is none. */
static uint64_t other_participant(const struct fw_ipc_mapping_ *mapping,
                                  const struct fwpy_process *p)
{
    uint32_t used = fw_load32_acquire(&mapping->head->participants_used);

    for (uint32_t i = 0; i < used && i < mapping->participant_count; i++) {
        const struct fw_ipc_participant_ *m = &mapping->participants[i];
        uint64_t life = fw_load64_acquire(&m->life);
        uint64_t holder = (life & UINT64_C(0xffffffff00000000)) | (i + 1);
        if (fw_load64_relaxed(&m->ids) >> 32 == p->pid &&
            fw_load64_relaxed(&m->pid_namespace) == p->pid_namespace &&
            fw_ipc_life_(mapping, holder) == FW_IPC_ALIVE && fw_load64_acquire(&m->life) == life)
            return holder;
    }
    return 0;
}

/* Of a process in the caller's pid namespace. */
static bool is_running(const struct fwpy_process *p)
{
    struct stat_line line;

    if (!read_stat(p->pid, &line))
        return access("/proc/self/stat", R_OK) != 0; /* without /proc nobody can tell */
    if (line.state == 'Z' || line.state == 'X')
        return false;
    if (p->started != 0 && line.started != p->started)
        return false;
    return p->stack == 0 || line.stack == 0 || line.stack == p->stack;
}

bool fwpy_is_alive(const struct fw_ipc_mapping_ *mapping, const struct fwpy_process *p,
                   uint64_t *holder)
{
    if (fw_ipc_life_(mapping, *holder) == FW_IPC_ALIVE)
        return true;
    if (p->pid_namespace == fwpy_this_process().pid_namespace && !is_running(p))
        return false;
    *holder = other_participant(mapping, p);
    return *holder != 0 || p->pid_namespace == fwpy_this_process().pid_namespace;
}
