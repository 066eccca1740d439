/* SPDX-License-Identifier: MIT */
/*
 * The owners that locks name: contract in who.h.
 *
 * A lock names its owner by the id that the thread has in its own pid namespace.  A private lock's
 * owner is a thread of the same process; a shared one's is a thread of some process that maps the
 * same place.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/print/visible.h"
#include "who.h"

struct who_key who_key_of(const struct target *t, uint64_t address)
{
    const struct target_map *m = target_map_at(t, address);

    if (m == NULL || !m->is_shared)
        return (struct who_key){.inode = (uint64_t)t->pid, .at = address};
    return (struct who_key){.device = m->device,
                            .inode = m->inode,
                            .at = address - m->begin + m->offset,
                            .is_shared = true};
}

bool who_maps(const struct target *t, const struct who_key *key)
{
    for (size_t i = 0; i < t->map_count; i++)
        if (t->maps[i].is_shared && t->maps[i].device == key->device &&
            t->maps[i].inode == key->inode)
            return true;
    return false;
}

size_t who_find(const struct who *w, const struct who_thread *waiter, const struct who_key *key,
                pid_t inner, unsigned *count)
{
    size_t found = WHO_NOBODY;
    bool is_near = false; /* in the waiter's own pid namespace */

    *count = 0;
    for (size_t i = 0; i < w->thread_count; i++) {
        const struct who_thread *t = &w->threads[i];
        bool same = t->target->pid_namespace == waiter->target->pid_namespace;
        if (t->task != 0 || t->about.inner != inner ||
            (key->is_shared ? !who_maps(t->target, key) : t->target != waiter->target))
            continue;
        (*count)++;
        if (found == WHO_NOBODY || (same && !is_near)) {
            found = i;
            is_near = same;
        }
    }
    return found;
}

void who_hold(struct who_wait *wait, struct who_holder holder)
{
    if (wait->holder_count == WHO_HOLDERS)
        wait->more_holders++;
    else
        wait->holders[wait->holder_count++] = holder;
}

static const char *role(const struct who_wait *wait)
{
    switch (wait->what.kind) {
    case DECODE_THREAD:
        return "is that thread";
    case DECODE_ONCE:
        return "initialises";
    case DECODE_RWLOCK:
        return wait->what.readers != 0 ? "reads" : "holds";
    default:
        return "holds";
    }
}

static void resolve(struct who *w, struct who_thread *t)
{
    struct who_wait *wait = &t->wait;
    struct who_holder holder = {.inner = wait->what.owner, .as = role(wait)};
    unsigned count;

    holder.thread = who_find(w, t, &wait->key, wait->what.owner, &count);
    if (wait->what.is_guess && holder.thread == WHO_NOBODY) { /* it only looked like a lock */
        wait->what = (struct decode_answer){
            .kind = DECODE_WORD, .action = "for a change", .object = wait->what.object};
        return;
    }
    holder.is_unclear = count > 1;
    /* Of a shared one it may be in a process that cannot be seen from here. */
    holder.is_gone = holder.thread == WHO_NOBODY && (!wait->key.is_shared || wait->what.is_dead);
    if (wait->what.kind == DECODE_THREAD && holder.thread == WHO_NOBODY)
        return; /* it is ending just now */
    who_hold(wait, holder);
}

/* The task itself, if it waits, or the thread that waits as it. */
static void resolve_task(const struct who *w, struct who_thread *t)
{
    struct who_wait *wait = &t->wait;
    struct who_holder holder = {.thread = WHO_NOBODY, .task = wait->what.task, .as = role(wait)};

    for (size_t i = 0; i < w->thread_count; i++) {
        const struct who_thread *other = &w->threads[i];
        if (other->target == t->target && other->wait.is_waiting &&
            (other->task == holder.task || other->wait.what.acts_as == holder.task))
            holder.thread = i;
    }
    who_hold(wait, holder);
}

/* How many of a thread's frames have called pthread_once. */
static unsigned count_once(const struct who_thread *t)
{
    unsigned n = 0;

    for (unsigned i = 0; i < t->frame_count; i++)
        n += t->frames[i].is_call &&
             decode_family_of(target_site_of(t->target, t->frames[i].address)->called) ==
                 FAMILY_ONCE;
    return n;
}

/* Does the thread's stack have that word? */
static bool has_on_stack(const struct who_thread *t, uint64_t wanted)
{
    static uint64_t words[UNWIND_STACK / sizeof(uint64_t)];
    size_t size = target_read_some(t->target, t->call.registers.sp, words, sizeof words);

    for (size_t i = 0; i < size / sizeof *words; i++)
        if (words[i] == wanted)
            return true;
    return false;
}

/*
 * The C library does not record who runs an initialiser.  It is the thread that is inside of
 * pthread_once without waiting for this one, and has its address on the stack, in case that it is
 * cancelled; the waiter itself, if it is inside of two.
 */
static void resolve_once(struct who *w, size_t waiter)
{
    struct who_wait *wait = &w->threads[waiter].wait;

    for (size_t i = 0; i < w->thread_count; i++) {
        const struct who_thread *t = &w->threads[i];
        bool waits = t->wait.is_waiting && t->wait.what.kind == DECODE_ONCE &&
                     t->wait.what.object == wait->what.object;
        if (t->target == w->threads[waiter].target && count_once(t) >= (waits ? 2u : 1u) &&
            (i == waiter || !waits) && has_on_stack(t, wait->what.object))
            who_hold(wait, (struct who_holder){
                               .thread = i, .inner = t->about.inner, .as = "initialises"});
    }
}

/*
 * The kernel refused because who holds the mutex waits for this thread.  If one thread does, that
 * is it; of several, or if others wait for that one, it is not known which.
 */
static void resolve_refused(struct who *w, size_t refused)
{
    size_t found = WHO_NOBODY, count = 0;

    for (size_t i = 0; i < w->thread_count; i++)
        for (unsigned k = 0; k < w->threads[i].wait.holder_count; k++)
            if (w->threads[i].wait.holders[k].thread == refused ||
                (found != WHO_NOBODY && w->threads[i].wait.holders[k].thread == found)) {
                found = i;
                count++;
            }
    if (count == 1)
        who_hold(&w->threads[refused].wait,
                 (struct who_holder){
                     .thread = found, .inner = w->threads[found].about.inner, .as = "holds"});
}

/* "accounts+0x28", or what it lies in. */
static void name_object(const struct who_thread *t, struct who_wait *wait)
{
    struct location l = {0};
    const char *module;

    if (wait->what.object != 0)
        l = locations_data(t->target->locations, wait->what.object);
    module = l.module != NULL ? strrchr(l.module, '/') : NULL;
    if (l.symbol != NULL && l.behind != 0)
        snprintf(wait->name, sizeof wait->name, "%s+0x%llx", l.symbol,
                 (unsigned long long)l.behind);
    else if (l.symbol != NULL)
        snprintf(wait->name, sizeof wait->name, "%s", l.symbol);
    else if (wait->key.is_shared && l.module != NULL && strncmp(l.module, "/dev/zero", 9) == 0)
        snprintf(wait->name, sizeof wait->name, "anonymous memory+0x%llx",
                 (unsigned long long)wait->key.at);
    else if (wait->key.is_shared && l.module != NULL)
        snprintf(wait->name, sizeof wait->name, "%s+0x%llx", module != NULL ? module + 1 : l.module,
                 (unsigned long long)wait->key.at);
    visible(wait->name);
}

void who_resolve(struct who *w)
{
    for (size_t i = 0; i < w->thread_count; i++) {
        struct who_thread *t = &w->threads[i];
        if (!t->wait.is_waiting || t->wait.is_region)
            continue;
        t->wait.holder_count = t->wait.more_holders = 0;
        if (t->wait.what.owner != 0)
            resolve(w, t);
        if (t->wait.what.task != 0)
            resolve_task(w, t);
        if (t->wait.name[0] == '\0')
            name_object(t, &t->wait);
    }
    for (size_t i = 0; i < w->thread_count; i++) {
        const struct who_wait *wait = &w->threads[i].wait;
        if (wait->is_waiting && wait->what.is_refused)
            resolve_refused(w, i);
        else if (wait->is_waiting && wait->what.kind == DECODE_ONCE && !wait->is_region &&
                 wait->what.maker == DECODE_LIBC)
            resolve_once(w, i);
    }
}
