/* SPDX-License-Identifier: MIT */
/*
 * many: accounts with a lock each.  An operation looks at one, or moves money from one to another:
 * then it holds the locks of both, taken in the order of their numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "lockmix.h"

/* Two lines, so that a move touches four. */
struct account {
    alignas(LINE_PAIR) int64_t balance;
    alignas(LINE) uint64_t visits;
};

static unsigned many_locks(const struct mix *m)
{
    return m->locks;
}

static void *many_make(const struct mix *m)
{
    struct account *all = aligned_alloc(LINE_PAIR, m->locks * sizeof *all);

    if (all != NULL)
        memset(all, 0, m->locks * sizeof *all);
    return all;
}

static void visit(struct account *a, int64_t change)
{
    a->balance += change;
    a->visits++;
}

static void many_operate(struct worker *w)
{
    struct account *all = w->fixture->data;
    uint32_t from = next_rank(w), to = from;

    if (rng_below(&w->random, PER_CENT) < w->fixture->spot->mix->pairs)
        to = next_rank(w);
    if (from == to) {
        enter(w, from);
        visit(&all[from], 0);
        leave(w, from);
        return;
    }
    enter(w, from < to ? from : to);
    enter(w, from < to ? to : from);
    visit(&all[from], -1);
    visit(&all[to], 1);
    leave(w, from);
    leave(w, to);
}

static const char *many_check(const struct fixture *s)
{
    const struct account *all = s->data;
    int64_t money = 0;
    uint64_t visits = 0;

    for (unsigned i = 0; i < s->spot->mix->locks; i++) {
        money += all[i].balance;
        visits += all[i].visits;
    }
    if (money != 0 || visits != all_acquisitions(s))
        return "sections overlapped: money was lost or made";
    return NULL;
}

const struct mode mode_many = {
    .name = "many",
    .about = "many locks, an account under each; an operation takes one or two",
    .locks = many_locks,
    .ranks = many_locks,
    .make = many_make,
    .operate = many_operate,
    .check = many_check,
    .unmake = free,
};
