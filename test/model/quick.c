/* SPDX-License-Identifier: MIT */
#include "quick.h"

#include "engine/walk.h"

/* Any will do, if they differ: the later walks are others. */
#define SEED_SOON 0u
#define SEED_LATE 1000000u

/* Up to that many states, and preemptions where the program itself permits them. */
static void search_up_to(uint32_t states, uint32_t preemptions, uint32_t own,
                         struct search_result *r)
{
    const struct search_limits limits = {preemptions < own ? preemptions : own, states, NULL};

    search(&limits, r);
}

/* In all searches, one after the other. */
static void find_expected(uint32_t own, struct search_result *r)
{
    search_up_to(40000, SEARCH_UNBOUNDED, own, r);
    if (r->outcome != SEARCH_FAILED)
        search_up_to(120000, 1, own, r);
    if (r->outcome != SEARCH_FAILED)
        search_up_to(240000, 0, own, r);
}

void quick_search(uint32_t own, bool must_fail, bool is_large, struct search_result *r)
{
    const struct search_limits limits = {own, 0, NULL};
    struct search_result walked;

    if (must_fail) {
        find_expected(own, r);
        return;
    }
    if (!is_large) {
        search_up_to(6000, SEARCH_UNBOUNDED, own, r);
        if (r->outcome != SEARCH_TOO_LARGE)
            return;
    }
    search_up_to(is_large ? 30000 : 10000, 1, own, r);
    if (r->outcome != SEARCH_FAILED && walk(&limits, SEED_SOON, is_large ? 50000 : 15000, &walked))
        *r = walked;
}

void quick_find(const char *fault, const struct search_limits *full, bool is_full,
                struct search_result *r)
{
    if (is_full && quick_is_unwalked(fault)) {
        search(full, r);
        return;
    }
    if (walk(full, SEED_SOON, 100000, r))
        return;
    search_up_to(is_full ? 40000 : 10000, SEARCH_UNBOUNDED, full->preemptions, r);
    if (r->outcome != SEARCH_FAILED)
        search_up_to(is_full ? 120000 : 20000, 1, full->preemptions, r);
    if (r->outcome != SEARCH_FAILED && is_full && !walk(full, SEED_LATE, 1200000, r))
        search(full, r);
}

bool quick_is_open(const struct search_result *result, bool must_fail)
{
    return result->outcome != SEARCH_FAILED && (must_fail || result->outcome == SEARCH_TOO_LARGE);
}
