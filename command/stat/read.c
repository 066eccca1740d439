/* SPDX-License-Identifier: MIT */
/* Contract: read.h. */
#include "read.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/clock.h"

static const char suffix[] = ".maps";

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

bool stat_is_lock(uint64_t key)
{
    unsigned what = (unsigned)(key >> FW_STAT_WHAT_SHIFT) - 1;

    return what != FW_STAT_COND && what != FW_STAT_BARRIER && what != FW_STAT_SEM;
}

uint64_t stat_object(uint64_t key)
{
    return key & ((UINT64_C(1) << FW_STAT_WHAT_SHIFT) - 1);
}

/* --- One file --------------------------------------------------------------------------------- */

static struct fw_stat_file_ *read_file(const char *path)
{
    FILE *in = fopen(path, "re");
    struct fw_stat_file_ *f = must(malloc(sizeof *f));
    bool is_whole = in != NULL && fread(f, sizeof *f, 1, in) == 1;

    if (in != NULL)
        fclose(in);
    if (is_whole && fw_inspect_file_(f))
        return f;
    free(f);
    return NULL;
}

static const struct fw_stat_file_ *compared; /* qsort passes no argument on */

static int by_time(const void *a, const void *b)
{
    const struct fw_stat_lock_ *x = &compared->locks[*(const uint16_t *)a],
                               *y = &compared->locks[*(const uint16_t *)b];

    return x->ns > y->ns ? -1 : x->ns < y->ns;
}

/* Finds out what was waited for, and how long. */
static void sum_up(struct stat_process *p)
{
    p->waits = p->ns = 0;
    p->lock_count = 0;
    for (unsigned i = 0; i < FW_STAT_LOCKS; i++) {
        const struct fw_stat_lock_ *l = &p->file->locks[i];
        if (l->waits == 0)
            continue;
        p->locks[p->lock_count++] = (uint16_t)i;
        if (stat_is_lock(l->key)) {
            p->waits += l->waits;
            p->ns += l->ns;
        }
    }
    compared = p->file;
    qsort(p->locks, p->lock_count, sizeof *p->locks, by_time);
}

/* Of a run that checks, nobody need have waited. */
static bool has_findings(const struct fw_stat_file_ *f)
{
    for (unsigned i = 0; i < FW_CHECK_FINDINGS; i++)
        if (f->check.findings[i].is_ready)
            return true;
    return false;
}

static bool has_news(const struct stat_process *p)
{
    bool waits = has_findings(p->file);

    for (unsigned i = 1; i < FW_STAT_THREADS && !waits; i++)
        waits = p->file->threads[i].key != 0 && p->file->threads[i].wait.key != 0;
    return waits || p->lock_count != 0;
}

/* --- All of them ------------------------------------------------------------------------------ */

static void drop(struct stat_process *p)
{
    free(p->file);
    free(p->name);
    free(p->maps);
    free(p->locks);
}

static void add_process(struct stat_reading *r, const char *directory, const char *name)
{
    struct stat_process p = {.name = must(strdup(name))};
    char *path;

    if (asprintf(&path, "%s/%s", directory, name) < 0 ||
        asprintf(&p.maps, "%s%s", path, suffix) < 0)
        abort();
    p.file = read_file(path);
    free(path);
    p.locks = must(calloc(FW_STAT_LOCKS, sizeof *p.locks));
    if (p.file != NULL)
        sum_up(&p);
    if (p.file == NULL || !has_news(&p)) {
        r->quiet += p.file != NULL;
        drop(&p);
        return;
    }
    r->processes = must(realloc(r->processes, (r->count + 1) * sizeof *r->processes));
    r->processes[r->count++] = p;
}

static int by_waiting(const void *a, const void *b)
{
    const struct stat_process *x = a, *y = b;

    return x->ns > y->ns ? -1 : x->ns < y->ns;
}

static bool is_copy_of_map(const char *name)
{
    size_t length = strlen(name);

    return length >= sizeof suffix && strcmp(name + length - (sizeof suffix - 1), suffix) == 0;
}

void stat_read(const char *directory, struct stat_reading *r)
{
    DIR *dir = opendir(directory);
    const struct dirent *e;

    *r = (struct stat_reading){.at = clock_ns()};
    while (dir != NULL && (e = readdir(dir)) != NULL)
        if (e->d_name[0] != '.' && !is_copy_of_map(e->d_name))
            add_process(r, directory, e->d_name);
    if (dir != NULL)
        closedir(dir);
    qsort(r->processes, r->count, sizeof *r->processes, by_waiting);
}

void stat_free(struct stat_reading *r)
{
    for (unsigned i = 0; i < r->count; i++)
        drop(&r->processes[i]);
    free(r->processes);
    *r = (struct stat_reading){0};
}

/* --- Differences ------------------------------------------------------------------------------ */

static uint64_t less(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

static void subtract_lock(struct fw_stat_lock_ *l, const struct fw_stat_lock_ *old)
{
    unsigned last = 0;

    l->waits = less(l->waits, old->waits);
    l->failed = less(l->failed, old->failed);
    l->ns = less(l->ns, old->ns);
    for (unsigned i = 0; i < FW_STAT_BUCKETS; i++) {
        l->histogram[i] = (uint32_t)less(l->histogram[i], old->histogram[i]);
        if (l->histogram[i] != 0)
            last = i;
    }
    if (last + 1 < FW_STAT_BUCKETS && l->longest > fw_stat_least_(last + 1))
        l->longest = fw_stat_least_(last + 1);
}

static void subtract(struct stat_process *p, const struct fw_stat_file_ *old)
{
    for (unsigned i = 0; i < FW_STAT_LOCKS; i++)
        subtract_lock(&p->file->locks[i], &old->locks[i]);
    for (unsigned i = 0; i < FW_STAT_SITES; i++) {
        p->file->sites[i].waits = less(p->file->sites[i].waits, old->sites[i].waits);
        p->file->sites[i].ns = less(p->file->sites[i].ns, old->sites[i].ns);
    }
    for (unsigned i = 0; i < FW_STAT_HOLDERS; i++) {
        p->file->holders[i].waits = less(p->file->holders[i].waits, old->holders[i].waits);
        p->file->holders[i].ns = less(p->file->holders[i].ns, old->holders[i].ns);
    }
    sum_up(p);
}

void stat_subtract(struct stat_reading *now, const struct stat_reading *before)
{
    for (unsigned i = 0; i < now->count; i++)
        for (unsigned k = 0; k < before->count; k++)
            if (strcmp(now->processes[i].name, before->processes[k].name) == 0)
                subtract(&now->processes[i], before->processes[k].file);
    qsort(now->processes, now->count, sizeof *now->processes, by_waiting);
}
