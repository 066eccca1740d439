/* SPDX-License-Identifier: MIT */
#include "region.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <furwock/bits/atomic.h>
#include <furwock/version.h>

#include "command/command.h"
#include "command/print/visible.h"
#include "sys/origin.h"
#include "sys/region_file.h"

struct region_known {
    uint64_t holder; /* 0: nobody has asked yet */
    struct region_thread thread;
};

/* The region that is mapped; there is one at a time. */
static struct {
    char *base;
    size_t size;
    volatile sig_atomic_t was_cut;
} mapped;

/*
 * The memory of a mapped file is gone: its owner has truncated it.  Zeroes are mapped instead, so
 * that the reader reaches its end, and asks then (region_trouble).
 */
static void cut_short(int signal_number, siginfo_t *info, void *context)
{
    uintptr_t at = (uintptr_t)info->si_addr - (uintptr_t)mapped.base;
    int saved = errno;

    (void)context;
    if (mapped.base != NULL && at < mapped.size &&
        mmap(mapped.base, mapped.size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
            MAP_FAILED)
        mapped.was_cut = 1;
    else
        signal(signal_number, SIG_DFL); /* another fault: it happens again, and ends the program */
    errno = saved;
}

static void watch(void *base, size_t size)
{
    struct sigaction action = {.sa_sigaction = cut_short, .sa_flags = SA_SIGINFO};

    mapped.base = base;
    mapped.size = size;
    mapped.was_cut = 0;
    sigaction(SIGBUS, &action, NULL);
}

const char *region_trouble(const struct region *r)
{
    return r->is_whole && mapped.was_cut ? "truncated while it was read" : NULL;
}

static const char *explain(int error, const struct fw_ipc_plan_ *plan)
{
    static char format[100]; /* one region is looked at at a time */

    switch (error) {
    case EINPROGRESS:
        return "half made: the process that creates it is still at it, or has died";
    case EPROTO:
        if (plan->format == 0)
            return "a region of another byte order";
        snprintf(format, sizeof format, "a region of format %" PRIu32 ": furwock %s has format %d",
                 plan->format, FURWOCK_VERSION_STRING, FW_REGION_FORMAT);
        return format;
    case ENOENT:
        return "no region: zeroes";
    default:
        return "no region, or one that was overwritten or truncated";
    }
}

/* Checks the head, and maps what is whole. */
static int look_into(int fd, struct region *r, const char **why)
{
    struct fw_shm_about_ about;
    struct fw_ipc_head_ head;
    void *base;
    int error = fw_shm_about_(fd, &about);

    if (error == ENOTSUP) {
        *why = "not a file with memory";
        return error;
    }
    if (error == 0)
        error = fw_shm_read_(fd, &head, sizeof head);
    if (error != 0) {
        *why = strerror(error);
        return error;
    }
    r->bytes = about.size;
    error = fw_ipc_head_check_(&head, about.size, &r->plan);
    if (error != 0) {
        *why = explain(error, &r->plan);
        return error == EINPROGRESS || error == EPROTO ? 0 : error;
    }
    error = fw_shm_map_(fd, r->plan.size, false, &base);
    if (error != 0) {
        *why = strerror(error);
        return error;
    }
    watch(base, r->plan.size);
    r->mapping =
        (struct fw_ipc_mapping_){.base = (uintptr_t)base,
                                 .size = r->plan.size,
                                 .head = base,
                                 .participants = (void *)((char *)base + r->plan.participants_at),
                                 .participant_count = r->plan.participant_count,
                                 .flags = r->plan.flags};
    r->known = calloc(r->mapping.participant_count, sizeof *r->known);
    if (r->known == NULL)
        abort();
    r->is_whole = true;
    return 0;
}

int region_look(const char *name, struct region *r, const char **why)
{
    char *shm = NULL;
    int fd, error;

    *r = (struct region){.name = strdup(name)};
    *why = NULL;
    if (r->name == NULL)
        abort();
    visible(r->name);
    if (strchr(name, '/') == NULL && asprintf(&shm, "/%s", name) < 0)
        abort();
    error = fw_shm_is_name_(shm != NULL ? shm : name)
                ? fw_shm_open_(shm != NULL ? shm : name, FW_SHM_READ_, 0, &fd)
                : ENOENT;
    free(shm);
    if (error != 0) {
        *why = strerror(error);
        return error;
    }
    error = look_into(fd, r, why);
    fw_shm_close_(fd);
    if (error == 0 && r->is_whole) {
        r->is_stale = r->plan.boot > 1 && fw_boot_() != 0 && r->plan.boot != fw_boot_();
        if (r->is_stale)
            *why = "from before the machine was started: nobody uses it";
    }
    return error;
}

void region_drop(struct region *r)
{
    if (r->is_whole) {
        mapped.base = NULL;
        fw_shm_unmap_((void *)r->mapping.base, r->mapping.size);
    }
    free(r->known);
    free(r->name);
    *r = (struct region){0};
}

/* Is the thread stopped?  Its state is the letter behind the name, which ends with the last ')'. */
static bool is_stopped(uint32_t thread)
{
    char path[64], text[512];
    size_t length = 0;
    const char *state;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%u/stat", thread);
    file = fopen(path, "r");
    if (file != NULL) {
        length = fread(text, 1, sizeof text - 1, file);
        fclose(file);
    }
    text[length] = '\0';
    state = strrchr(text, ')');
    return state != NULL && (strncmp(state, ") T", 3) == 0 || strncmp(state, ") t", 3) == 0);
}

/* What the region and the system say of it now. */
static struct region_thread ask(const struct region *r, uint64_t holder)
{
    const struct fw_ipc_participant_ *m = fw_ipc_participant_of_(&r->mapping, holder);
    enum fw_ipc_life life = fw_ipc_life_(&r->mapping, holder);
    uint64_t ids = fw_ipc_ids_(&r->mapping, holder), space;
    struct region_thread t = {(uint32_t)(ids >> 32), (uint32_t)ids, REGION_DEAD, false};

    if (life == FW_IPC_CORRUPT)
        return (struct region_thread){.life = REGION_CORRUPT};
    if (life == FW_IPC_DEAD)
        return t;
    space = fw_load64_relaxed(&m->pid_namespace);
    t.is_foreign = space != 0 && fw_pid_namespace_() != 0 && space != fw_pid_namespace_();
    t.life = REGION_ALIVE;
    if (r->is_stale || (!t.is_foreign && t.thread != 0 && fw_robust_is_gone_(t.thread)))
        t.life = REGION_DEAD; /* and the kernel has not said so */
    else if (!t.is_foreign && t.thread != 0 && is_stopped(t.thread))
        t.life = REGION_STOPPED;
    return t;
}

struct region_thread region_thread(const struct region *r, uint64_t holder)
{
    struct region_known *known;

    /* Only the present thread of a slot costs system calls.  Former ones must not evict it. */
    if (fw_ipc_life_(&r->mapping, holder) != FW_IPC_ALIVE)
        return ask(r, holder);
    known = &r->known[(holder & FW_IPC_SLOT) - 1];
    if (known->holder != holder)
        *known = (struct region_known){holder, ask(r, holder)};
    return known->thread;
}

const char *region_life_name(enum region_life life)
{
    static const char *const names[] = {[REGION_ALIVE] = "alive",
                                        [REGION_STOPPED] = "stopped",
                                        [REGION_DEAD] = "dead",
                                        [REGION_CORRUPT] = "corrupt"};

    return names[life];
}

uint64_t region_tenant(const struct region *r, uint32_t slot)
{
    uint64_t life = fw_load64_acquire(&r->mapping.participants[slot].life);

    return (uint32_t)life == 0 ? 0 : (life & ~(uint64_t)UINT32_MAX) | (slot + 1);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

void region_count(const struct region *r, unsigned *threads, unsigned *processes)
{
    uint32_t of[FW_IPC_PARTICIPANTS_MAX];

    *threads = *processes = 0;
    for (uint32_t slot = 0; slot < r->mapping.participant_count; slot++) {
        uint64_t tenant = region_tenant(r, slot);
        struct region_thread t;
        if (tenant == 0)
            continue;
        t = region_thread(r, tenant);
        if (t.life == REGION_ALIVE || t.life == REGION_STOPPED)
            of[(*threads)++] = t.process;
    }
    qsort(of, *threads, sizeof *of, by_number);
    for (unsigned i = 0; i < *threads; i++)
        *processes += i == 0 || of[i] != of[i - 1];
}
