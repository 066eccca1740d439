/* SPDX-License-Identifier: MIT */
/* Deadlocks in words: contract in print_who.h. */
#include <inttypes.h>
#include <string.h>

#include "command/print/visible.h"
#include "print_who.h"

static size_t count_waiting(const struct who *w, bool is_task)
{
    size_t n = 0;

    for (size_t i = 0; i < w->thread_count; i++)
        n += w->threads[i].wait.is_waiting && (w->threads[i].task != 0) == is_task;
    return n;
}

void who_print_summary(const struct printer *p, const struct who *w)
{
    size_t waiting = count_waiting(w, false), tasks = count_waiting(w, true);

    for (size_t i = 0; i < w->target_count; i++) {
        char name[sizeof w->targets[i]->name];
        strcpy(name, w->targets[i]->name);
        print_words(p, "%s%d \"%s\"", i == 0 ? "Process " : ", ", (int)w->targets[i]->pid,
                    visible(name));
    }
    print_words(p, ": %zu thread%s, %zu of them wait%s", w->thread_count - tasks,
                print_plural(w->thread_count - tasks), waiting, waiting == 1 ? "s" : "");
    if (tasks != 0)
        print_words(p, "; %zu task%s wait%s", tasks, print_plural(tasks), tasks == 1 ? "s" : "");
    print_words(p, ".\n");
    for (unsigned i = 0; i < w->note_count; i++)
        print_words(p, "Note: %s.\n", w->notes[i]);
    if (w->stopped != 0)
        print_words(p, "%" PRIu64 " thread%s stopped, for %.0f us at most.\n", w->stopped,
                    w->stopped == 1 ? " was" : "s were", (double)w->stopped_most_ns / 1e3);
}

/* ", taken in f (x.c:1),": only the drop-in that counts notes that. */
static void print_taken(const struct printer *p, const struct who_thread *waiter)
{
    uint64_t at = waiter->wait.what.taken_at;
    struct unwind_frame f = {.address = at, .is_call = true};
    char word[WHO_TEXT];

    if (at != 0)
        print_words(p, ", taken in %s,", who_frame_words(waiter->target, &f, word));
}

/* What this thread has that the one before it in the cycle waits for. */
static void print_hold(const struct printer *p, const struct who_thread *before,
                       const struct who_holder *h)
{
    char word[WHO_TEXT];

    if (before->wait.what.kind == DECODE_THREAD)
        return;
    print_words(p, " %s %s", h->as, who_object_words(&before->wait, word));
    print_taken(p, before);
    print_words(p, " and");
}

static const struct who_holder *holder_in(const struct who_thread *t, size_t thread)
{
    for (unsigned i = 0; i < t->wait.holder_count; i++)
        if (t->wait.holders[i].thread == thread)
            return &t->wait.holders[i];
    return &t->wait.holders[0];
}

/* A task's words say what it is. */
static const char *kind_of(const struct who_thread *t)
{
    return t->task != 0 ? "" : "thread ";
}

static void print_member_of(const struct printer *p, const struct who *w, const struct who_cycle *c,
                            size_t k)
{
    size_t self = c->threads[k], next = c->threads[(k + 1) % c->count];
    const struct who_thread *before = &w->threads[c->threads[(k + c->count - 1) % c->count]];
    const struct who_thread *t = &w->threads[self];
    char word[WHO_TEXT];

    print_words(p, "  %s%s", kind_of(t), who_thread_words(w, self, word));
    print_hold(p, before, holder_in(before, self));
    print_words(p, " waits %s %s", t->wait.what.action, who_object_words(&t->wait, word));
    if (who_place_words(t, word)[0] != '\0')
        print_words(p, " in %s", word);
    if (t->wait.is_timed)
        print_words(p, ", with a time-out");
    if (self == next)
        print_words(p, ", %s itself\n",
                    t->wait.what.kind == DECODE_THREAD ? "which is" : "which it has");
    else if (t->wait.what.kind == DECODE_THREAD)
        print_words(p, "\n");
    else
        print_words(p, ", which %s%s has\n", kind_of(&w->threads[next]),
                    who_thread_words(w, next, word));
}

static bool has_task(const struct who *w, const struct who_cycle *c)
{
    for (size_t k = 0; k < c->count; k++)
        if (w->threads[c->threads[k]].task != 0)
            return true;
    return false;
}

static void print_cycle(const struct printer *p, const struct who *w, size_t i)
{
    const struct who_cycle *c = &w->cycles[i];
    size_t behind = 0;

    print_words(p, "\nDeadlock %zu: ", i + 1);
    if (c->count == 1)
        print_words(p, "a %s waits for itself",
                    w->threads[c->threads[0]].task != 0 ? "task" : "thread");
    else
        print_words(p, "%zu %s wait for one another", c->count,
                    has_task(w, c) ? "threads and tasks" : "threads");
    print_words(p, "%s.\n", c->is_timed ? ", until a time-out" : "");
    for (size_t k = 0; k < c->count; k++)
        print_member_of(p, w, c, k);
    for (size_t k = 0; k < w->thread_count; k++)
        behind += w->threads[k].wait.holder_count != 0 && who_leads_to(w, k) == i + 1;
    if (behind != 0)
        print_words(p, "  %zu more thread%s wait%s for these.\n", behind, print_plural(behind),
                    behind == 1 ? "s" : "");
}

static void print_lost(const struct printer *p, const struct who *w, size_t i)
{
    const struct who_thread *t = &w->threads[i];
    char word[WHO_TEXT], other[WHO_TEXT];

    print_words(p, "Lost: thread %s waits %s %s", who_thread_words(w, i, word), t->wait.what.action,
                who_object_words(&t->wait, other));
    if (t->wait.what.is_refused)
        print_words(p, " forever: the kernel refused, since that is a deadlock or the owner has "
                       "ended.\n");
    else
        print_words(p, ", held by thread %d, which no longer exists%s.\n", (int)t->wait.what.owner,
                    t->target->core != NULL ? ""
                                            : " in this process (it ended, or the process was "
                                              "forked while it held the lock)");
}

void who_print_deadlocks(const struct printer *p, const struct who *w)
{
    bool is_first = true;

    for (size_t i = 0; i < w->cycle_count; i++)
        print_cycle(p, w, i);
    for (size_t i = 0; i < w->thread_count; i++) {
        if (!who_is_lost(&w->threads[i]))
            continue;
        print_words(p, "%s", is_first ? "\n" : "");
        is_first = false;
        print_lost(p, w, i);
    }
}
