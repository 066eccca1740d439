/* SPDX-License-Identifier: MIT */
/*
 * Reads processes, until what is found is certain: contract in who.h.
 *
 * Threads go on while they are read, one after the other.  So a cycle counts only if all threads in
 * it have slept in the same wait from one look to the next, in which the cycle was found: each then
 * held what the one before it waits for, at one and the same moment.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/print/visible.h"
#include "who.h"

/* Waits with re-checks wake up for a moment: a look that meets one is repeated. */
enum { LOOKS = 12 };

void who_note(struct who *w, const char *format, ...)
{
    char *text = NULL;
    va_list list;

    va_start(list, format);
    if (vasprintf(&text, format, list) < 0)
        abort();
    va_end(list);
    visible(text);
    for (unsigned i = 0; i < w->note_count; i++)
        if (strcmp(w->notes[i], text) == 0) {
            free(text);
            return;
        }
    if (w->note_count < WHO_NOTES)
        w->notes[w->note_count++] = text;
    else
        free(text);
}

bool who_add(struct who *w, pid_t pid, char *why, size_t size)
{
    struct target *t = malloc(sizeof *t);

    if (t == NULL)
        abort();
    if (!target_open(t, pid, why, size)) {
        free(t);
        return false;
    }
    w->targets = realloc(w->targets, (w->target_count + 1) * sizeof *w->targets);
    if (w->targets == NULL)
        abort();
    w->targets[w->target_count++] = t;
    return true;
}

/* One look at everything; processes that belong to it are added, and everything is read anew. */
static void look_at_all(struct who *w)
{
    bool is_added;

    do {
        who_look(w);
        is_added = who_read_regions(w);
        who_resolve(w);
        is_added |= who_add_peers(w);
    } while (is_added);
    who_find_cycles(w);
}

bool who_is_lost(const struct who_thread *t)
{
    /* Of a region, and of robust locks, the next thread takes over. */
    if (!t->wait.is_waiting || t->wait.is_region || t->wait.is_timed || t->wait.what.is_dead)
        return false;
    for (unsigned i = 0; i < t->wait.holder_count; i++)
        if (t->wait.holders[i].is_gone)
            return true;
    return t->wait.what.is_refused;
}

/* How many threads would have to be steady for what was found, and are not. */
static size_t doubts(const struct who *w)
{
    size_t n = 0;

    for (size_t i = 0; i < w->thread_count; i++) {
        const struct who_thread *t = &w->threads[i];
        n += !t->is_steady && (t->cycle != 0 || who_is_lost(t));
    }
    return n;
}

/* What is not certain by now is not said. */
static void drop_doubtful(struct who *w)
{
    for (size_t i = 0; i < w->thread_count; i++) {
        struct who_thread *t = &w->threads[i];
        for (unsigned k = 0; k < t->wait.holder_count && !t->is_steady; k++)
            t->wait.holders[k].is_gone = false;
        t->wait.what.is_refused &= t->is_steady;
        if (!t->is_steady && t->cycle != 0)
            t->wait.holder_count = 0;
    }
    who_find_cycles(w);
}

void who_examine(struct who *w)
{
    look_at_all(w);
    for (unsigned looks = 1; looks < LOOKS && doubts(w) != 0; looks++) {
        struct who_thread *old = w->threads;
        size_t count = w->thread_count;

        w->threads = NULL;
        look_at_all(w);
        who_compare(w, old, count);
        free(old);
    }
    while (doubts(w) != 0)
        drop_doubtful(w);
}
