/* SPDX-License-Identifier: MIT */
/*
 * Which call of a lock a system call came from cannot be seen without disturbing it: to read a
 * counter between lock and unlock would be a system call, too.  But what a lock asks of the kernel
 * tells: to unlock is to wake.  So the kernel counts all system calls, and those that wake; the
 * rest (sleeps, yields) belongs to locking.
 */
#include <stdlib.h>
#include <unistd.h>

#include "futexlock.h"
#include "measure/tracepoint.h"

/*
 * FUTEX_WAKE, FUTEX_WAKE_OP, FUTEX_UNLOCK_PI and FUTEX_WAKE_BITSET; and the same with
 * FUTEX_PRIVATE_FLAG.  The kernel's filters know no mask.
 */
static const char wakes[] = "op == 1 || op == 5 || op == 7 || op == 10 || "
                            "op == 129 || op == 133 || op == 135 || op == 138";

static const struct event {
    const char *name;
    const char *filter; /* NULL: all of them */
} waking[] = {{"syscalls/sys_enter_futex", wakes}, {"syscalls/sys_enter_futex_wake", NULL}};

enum { WAKING = sizeof waking / sizeof *waking };

struct calls {
    int all;
    int waking[WAKING]; /* negative: not there */
};

/* A counter that is off; negative: there is none. */
static int open_event(const struct event *e)
{
    return tracepoint_open(tracepoint_number(e->name), e->filter, false);
}

struct calls *calls_open(const char **why)
{
    static const struct event every = {TRACEPOINT_SYSTEM_CALLS, NULL};
    struct calls *c = calloc(1, sizeof *c);

    *why = "no memory";
    if (c == NULL)
        return NULL;
    c->all = open_event(&every);
    if (c->all < 0) {
        *why = tracepoint_missing(tracepoint_number(every.name));
        free(c);
        return NULL;
    }
    for (int i = 0; i < WAKING; i++)
        c->waking[i] = open_event(&waking[i]);
    *why = "";
    return c;
}

static void switch_all(const struct calls *c, bool on)
{
    tracepoint_switch(c->all, on);
    for (int i = 0; i < WAKING; i++)
        tracepoint_switch(c->waking[i], on);
}

void calls_start(struct calls *c)
{
    switch_all(c, true);
}

static uint64_t count_of(int fd)
{
    uint64_t count;

    return tracepoint_read(fd, &count) ? count : 0;
}

void calls_stop(struct calls *c, struct call_counts *out)
{
    switch_all(c, false);
    *out = (struct call_counts){.known = true, .split = c->waking[0] >= 0};
    for (int i = 0; i < WAKING; i++)
        out->unlock += count_of(c->waking[i]);
    uint64_t all = count_of(c->all);
    out->lock = all > out->unlock ? all - out->unlock : 0;
}

void calls_close(struct calls *c)
{
    if (c == NULL)
        return;
    close(c->all);
    for (int i = 0; i < WAKING; i++)
        if (c->waking[i] >= 0)
            close(c->waking[i]);
    free(c);
}
