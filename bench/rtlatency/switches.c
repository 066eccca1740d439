/* SPDX-License-Identifier: MIT */
/*
 * When a thread was off its CPU: perf's records of context switches, which the kernel writes
 * into a ring for the thread itself.  (The paper's kernel writes the same into its own trace.)
 */

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "rtlatency.h"

enum { RING = 1 << 20, BATCH = 1024 };

struct switches {
    int fd;
    char *ring;
    size_t page;
};

/* Each record that we asked for: its head, and when. */
struct record {
    struct perf_event_header head;
    uint64_t ns;
};

struct switches *switches_open(void)
{
    struct perf_event_attr wanted = {.type = PERF_TYPE_SOFTWARE,
                                     .size = sizeof wanted,
                                     .config = PERF_COUNT_SW_DUMMY,
                                     .sample_type = PERF_SAMPLE_TIME,
                                     .exclude_kernel = 1,
                                     .exclude_hv = 1,
                                     .context_switch = 1,
                                     .sample_id_all = 1,
                                     .use_clockid = 1,
                                     .clockid = CLOCK_MONOTONIC};
    struct switches *s = calloc(1, sizeof *s);
    void *at;

    if (s == NULL)
        return NULL;
    s->page = (size_t)sysconf(_SC_PAGESIZE);
    s->fd = (int)syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (s->fd >= 0) {
        at = mmap(NULL, s->page + RING, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
        if (at != MAP_FAILED) {
            s->ring = at;
            return s;
        }
        close(s->fd);
    }
    free(s);
    return NULL;
}

static void take(const struct switches *s, uint64_t at, void *to, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((char *)to)[i] = s->ring[s->page + (at + i) % RING];
}

/* A switch away begins a pause, and the next one back ends it. */
static bool note(struct pause **pauses, size_t *n, const struct record *r)
{
    bool is_out = (r->head.misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;

    if (!is_out) {
        if (*n > 0 && (*pauses)[*n - 1].to_ns == UINT64_MAX)
            (*pauses)[*n - 1].to_ns = r->ns;
        return true;
    }
    if (*n % BATCH == 0) {
        struct pause *more = realloc(*pauses, (*n + BATCH) * sizeof *more);
        if (more == NULL)
            return false;
        *pauses = more;
    }
    (*pauses)[(*n)++] =
        (struct pause){.from_ns = r->ns,
                       .to_ns = UINT64_MAX,
                       .is_sleep = (r->head.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) == 0};
    return true;
}

bool switches_read(struct switches *s, struct pause **pauses, size_t *n)
{
    struct perf_event_mmap_page *control = (struct perf_event_mmap_page *)(void *)s->ring;
    uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
    uint64_t at = control->data_tail;
    bool whole = true;

    *pauses = NULL;
    *n = 0;
    while (at < head && whole) {
        struct record r;
        take(s, at, &r, sizeof r);
        if (r.head.type == PERF_RECORD_SWITCH)
            whole = note(pauses, n, &r);
        else if (r.head.type == PERF_RECORD_LOST || r.head.size == 0)
            whole = false;
        at += r.head.size;
    }
    __atomic_store_n(&control->data_tail, head, __ATOMIC_RELEASE);
    return whole;
}

void switches_close(struct switches *s)
{
    munmap(s->ring, s->page + RING);
    close(s->fd);
    free(s);
}
