/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static bool has(const struct bench_catalogue *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->locks[i]->name, name) == 0)
            return true;
    return false;
}

static const char *why_missing(const struct bench_catalogue *c, const char *name)
{
    for (size_t i = 0; i < c->n_missing; i++)
        if (strcmp(c->missing[i]->name, name) == 0)
            return c->missing[i]->why;
    return NULL;
}

void bench_offer(struct bench_catalogue *c, const void *list, const struct missing_adapter *missing)
{
    for (const adapter_head *const *a = list; *a != NULL && c->n < BENCH_LOCKS_MAX; a++)
        c->locks[c->n++] = *a;
    for (; missing->name != NULL && c->n_missing < BENCH_LOCKS_MAX; missing++)
        if (why_missing(c, missing->name) == NULL)
            c->missing[c->n_missing++] = missing;
}

static void list_and_exit(const struct bench_catalogue *c)
{
    for (size_t i = 0; i < c->n; i++)
        printf("%-18s %s\n", c->locks[i]->name, c->locks[i]->about);
    for (size_t i = 0; i < c->n_missing; i++)
        printf("%-18s missing: %s\n", c->missing[i]->name, c->missing[i]->why);
    exit(0);
}

static void refuse_name(const struct bench_catalogue *c, const char *name)
{
    const char *why = why_missing(c, name);
    char known[1024] = "";

    if (why != NULL)
        bench_die("%s is missing: %s", name, why);
    for (size_t i = 0; i < c->n; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, " %s", c->locks[i]->name);
    }
    bench_die("no lock \"%s\"; there are:%s", name, known);
}

void bench_check_names(const struct bench_catalogue *c, const struct bench_options *o)
{
    if (o->list)
        list_and_exit(c);
    for (size_t i = 0; i < o->n; i++)
        if (!has(c, o->names[i]))
            refuse_name(c, o->names[i]);
}

bool bench_wanted(const struct bench_options *o, const char *name, const char *baseline)
{
    if (o->n == 0 || strcmp(name, baseline) == 0)
        return true;
    for (size_t i = 0; i < o->n; i++)
        if (strcmp(o->names[i], name) == 0)
            return true;
    return false;
}
