/* SPDX-License-Identifier: MIT */
/* Contract: inspect.h.  Linked into the tool, and into no library. */
#include "inspect.h"

#include <stdio.h>

#include "counting/table.h"
#include "object.h"

/* A wait that has ended and is not yet in the tables. */
static void add_last_wait(struct fw_stat_file_ *f, struct fw_stat_thread_ *t)
{
    struct fw_stat_wait_ *w = &t->wait;

    t->name[sizeof t->name - 1] = '\0';
    if (t->key == 0 || w->key == 0 || w->ended == 0)
        return;
    fw_stat_add_(f, w);
    t->waits++;
    t->ns += w->ended - w->began;
    w->key = 0;
}

static void limit_finding(struct fw_check_finding_ *f)
{
    if (f->kind >= FW_CHECK_KINDS)
        f->is_ready = 0;
    if (f->calls > FW_CHECK_CALLS)
        f->calls = FW_CHECK_CALLS;
    for (unsigned i = 0; i < FW_CHECK_CALLS; i++)
        if (f->call[i].depth > FW_CHECK_FRAMES)
            f->call[i].depth = FW_CHECK_FRAMES;
}

/* What a process has written over must not lead out of the tables. */
static void limit(struct fw_stat_file_ *f)
{
    for (unsigned i = 0; i < FW_STAT_SITES; i++)
        f->sites[i].lock %= FW_STAT_LOCKS;
    for (unsigned i = 0; i < FW_STAT_CHAINS; i++) {
        f->chains[i].lock %= FW_STAT_LOCKS;
        if (f->chains[i].depth > FW_STAT_FRAMES)
            f->chains[i].depth = FW_STAT_FRAMES;
    }
    for (unsigned i = 0; i < FW_CHECK_FINDINGS; i++)
        limit_finding(&f->check.findings[i]);
    for (unsigned i = 0; i < FW_STAT_NAMES; i++)
        f->names[i].text[sizeof f->names[i].text - 1] = '\0';
    f->head.program[FW_STAT_NAME - 1] = '\0';
}

bool fw_inspect_file_(struct fw_stat_file_ *f)
{
    if (f->head.magic != FW_STAT_MAGIC || f->head.size != sizeof *f)
        return false;
    limit(f);
    for (unsigned i = 1; i < FW_STAT_THREADS; i++)
        add_last_wait(f, &f->threads[i]);
    return true;
}

void fw_inspect_kind_(const struct fw_stat_lock_ *l, char *text, size_t size)
{
    static const char *const names[] = {
        [FW_STAT_MUTEX] = "mutex",       [FW_STAT_COND] = "condition",
        [FW_STAT_READ] = "rwlock, read", [FW_STAT_WRITE] = "rwlock, write",
        [FW_STAT_SEM] = "semaphore",     [FW_STAT_BARRIER] = "barrier",
        [FW_STAT_SPIN] = "spin lock",    [FW_STAT_FW_MUTEX] = "fw_mutex"};
    static const char *const types[] = {"", ", recursive", ", errorcheck", ", adaptive"};
    unsigned what = (unsigned)(l->key >> FW_STAT_WHAT_SHIFT) - 1;
    int kind = l->kind;

    if (what >= sizeof names / sizeof *names)
        snprintf(text, size, "others");
    else if (what != FW_STAT_MUTEX)
        snprintf(text, size, "%s", names[what]);
    else
        snprintf(text, size, "mutex%s%s%s%s%s", types[fw_kind_type_(kind)],
                 (kind & FW_KIND_SHARED) != 0 ? ", shared" : "",
                 (kind & FW_KIND_ROBUST) != 0 ? ", robust" : "",
                 (kind & FW_KIND_INHERIT) != 0 ? ", inherits" : "",
                 (kind & FW_KIND_PROTECT) != 0 ? ", protects" : "");
}
