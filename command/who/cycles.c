/* SPDX-License-Identifier: MIT */
/*
 * Cycles in the graph of who waits for whom: contract in who.h.
 *
 * A thread waits for all holders of what it waits for: a writer for each reader.  (What any of
 * several threads can give, such as a permit, has no holder here.)  So each cycle is a deadlock,
 * unless a wait in it ends by itself.
 */
#include <stdlib.h>
#include <string.h>

#include "who.h"

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

/* A breadth-first search: where each thread was reached from. */
struct search {
    size_t *from, *queue;
    size_t head, tail;
};

static void begin(struct search *s, const struct who *w)
{
    s->from = must(malloc((w->thread_count + 1) * sizeof *s->from));
    s->queue = must(malloc((w->thread_count + 1) * sizeof *s->queue));
}

static void end(struct search *s)
{
    free(s->from);
    free(s->queue);
}

/* Reaches the threads for which this one waits; true, if `wanted` is among them. */
static bool expand(struct search *s, const struct who *w, size_t thread, size_t wanted)
{
    const struct who_wait *wait = &w->threads[thread].wait;

    for (unsigned i = 0; i < wait->holder_count; i++) {
        size_t next = wait->holders[i].thread;
        if (next == WHO_NOBODY || wait->holders[i].is_unclear)
            continue;
        if (next == wanted)
            return true;
        if (s->from[next] != WHO_NOBODY)
            continue;
        s->from[next] = thread;
        s->queue[s->tail++] = next;
    }
    return false;
}

/* The last thread of a shortest way from the thread to itself; WHO_NOBODY: there is none. */
static size_t way_back(struct search *s, const struct who *w, size_t thread)
{
    for (size_t i = 0; i < w->thread_count; i++)
        s->from[i] = WHO_NOBODY;
    s->head = s->tail = 0;
    if (expand(s, w, thread, thread))
        return thread;
    while (s->head < s->tail) {
        size_t next = s->queue[s->head++];
        if (expand(s, w, next, thread))
            return next;
    }
    return WHO_NOBODY;
}

static void add(struct who *w, const struct search *s, size_t first, size_t last)
{
    struct who_cycle *c;
    size_t count = 1;

    for (size_t i = last; i != first; i = s->from[i])
        count++;
    w->cycles = must(realloc(w->cycles, (w->cycle_count + 1) * sizeof *w->cycles));
    c = &w->cycles[w->cycle_count++];
    *c = (struct who_cycle){must(calloc(count, sizeof *c->threads)), count, false};
    for (size_t i = last, k = count; k > 0; i = s->from[i]) {
        k--;
        c->threads[k] = k == 0 ? first : i;
        w->threads[c->threads[k]].cycle = (unsigned)w->cycle_count;
        c->is_timed |= w->threads[c->threads[k]].wait.is_timed;
    }
}

void who_drop_cycles(struct who *w)
{
    for (size_t i = 0; i < w->cycle_count; i++)
        free(w->cycles[i].threads);
    free(w->cycles);
    w->cycles = NULL;
    w->cycle_count = 0;
    for (size_t i = 0; i < w->thread_count; i++)
        w->threads[i].cycle = 0;
}

void who_find_cycles(struct who *w)
{
    struct search s;

    who_drop_cycles(w);
    begin(&s, w);
    for (size_t i = 0; i < w->thread_count; i++) {
        size_t last;
        if (w->threads[i].wait.holder_count == 0 || w->threads[i].cycle != 0)
            continue;
        last = way_back(&s, w, i);
        if (last != WHO_NOBODY)
            add(w, &s, i, last);
    }
    end(&s);
}

unsigned who_leads_to(const struct who *w, size_t thread)
{
    struct search s;
    unsigned found = 0;

    if (w->threads[thread].cycle != 0 || w->cycle_count == 0)
        return 0;
    begin(&s, w);
    way_back(&s, w, thread);
    for (size_t i = 0; i < s.tail && found == 0; i++)
        found = w->threads[s.queue[i]].cycle;
    end(&s);
    return found;
}
