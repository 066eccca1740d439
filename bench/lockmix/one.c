/* SPDX-License-Identifier: MIT */
/*
 * one: a single lock that all want, and a few cache lines that each holder writes.
 *
 * After the benchmark `scheduling` of FlexGuard (Laforet and others, SOSP 2025): two cache lines in
 * the section, 100 cycles between two of them.  There the lines are a ring that is walked, so that
 * one is not touched before the other has been read.
 */
#include <stdlib.h>
#include <string.h>

#include "lockmix.h"

struct link {
    alignas(LINE) struct link *next;
    uint64_t count;
};

static unsigned one_locks(const struct mix *m)
{
    (void)m;
    return 1;
}

static unsigned one_ranks(const struct mix *m)
{
    (void)m;
    return 0;
}

static void *one_make(const struct mix *m)
{
    struct link *ring = aligned_alloc(LINE, m->lines * sizeof *ring);

    for (unsigned i = 0; ring != NULL && i < m->lines; i++)
        ring[i] = (struct link){.next = &ring[(i + 1) % m->lines]};
    return ring;
}

static void one_operate(struct worker *w)
{
    struct link *l = w->fixture->data;

    enter(w, 0);
    for (unsigned i = w->fixture->spot->mix->lines; i > 0; i--) {
        l->count++;
        l = l->next;
    }
    leave(w, 0);
}

static const char *one_check(const struct fixture *s)
{
    const struct link *ring = s->data;

    for (unsigned i = 0; i < s->spot->mix->lines; i++)
        if (ring[i].count != all_acquisitions(s))
            return "sections overlapped: a count is wrong";
    return NULL;
}

const struct mode mode_one = {
    .name = "one",
    .about = "one lock, and a few cache lines",
    .locks = one_locks,
    .ranks = one_ranks,
    .make = one_make,
    .operate = one_operate,
    .check = one_check,
    .unmake = free,
};
