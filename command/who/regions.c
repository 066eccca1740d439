/* SPDX-License-Identifier: MIT */
/*
 * What furwock regions say that the processes map: contract in who.h.  A region knows its waiters,
 * for what they wait and since when, and who holds it; `furwock show` reads that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/ipc/mutex.h>
#include <furwock/ipc/region.h>
#include <furwock/ipc/rwlock.h>

#include "command/show/show.h"
#include "who.h"

/* A file that is mapped by several, and may be a region. */
struct file {
    struct who_key key;
    char path[4352];
};

/* Among the processes that map it, by the ids of its own pid namespace. */
static size_t find_thread(const struct who *w, const struct file *f, const struct region_thread *t)
{
    size_t found = WHO_NOBODY;

    for (size_t i = 0; i < w->thread_count && t->thread != 0; i++) {
        const struct who_thread *one = &w->threads[i];
        if (one->about.inner == (pid_t)t->thread && who_maps(one->target, &f->key) &&
            (found == WHO_NOBODY || !t->is_foreign))
            found = i;
    }
    return found;
}

static struct who_holder holder(const struct who *w, const struct file *f,
                                const struct show_thread *t)
{
    struct who_holder h = {
        .thread = find_thread(w, f, &t->who), .inner = (pid_t)t->who.thread, .as = t->as};

    h.is_gone = t->who.life == REGION_DEAD;
    return h;
}

/* Does a waiter wait for that thread?  Of permits any one will do; of a barrier, who is missing. */
static bool is_waited_for(const struct show_object *o, const struct show_thread *t, pid_t waiter)
{
    if (strcmp(o->kind, show_kinds[FW_REGION_PERMITS]) == 0)
        return false;
    if (strncmp(t->as, "waits", 5) == 0) /* a writer, for readers: not for itself */
        return (pid_t)t->who.thread != waiter;
    return strstr(t->as, "arrived") == NULL;
}

static enum decode_kind kind_of(const struct show_object *o)
{
    static const enum decode_kind kinds[SHOW_KINDS] = {
        [FW_REGION_MUTEX] = DECODE_MUTEX,     [FW_REGION_RWLOCK] = DECODE_RWLOCK,
        [FW_REGION_COND] = DECODE_COND,       [FW_REGION_SEM] = DECODE_SEM,
        [FW_REGION_BARRIER] = DECODE_BARRIER, [FW_REGION_ONCE] = DECODE_ONCE};

    for (unsigned i = 0; i < SHOW_KINDS; i++)
        if (show_kinds[i] != NULL && strcmp(o->kind, show_kinds[i]) == 0)
            return kinds[i] != DECODE_WORD ? kinds[i] : DECODE_REGION;
    return DECODE_REGION;
}

static void take_holders(const struct who *w, const struct file *f, const struct show_object *o,
                         struct who_thread *thread)
{
    thread->wait.what.kind = kind_of(o);
    thread->wait.what.names_owner = true;
    for (size_t i = 0; i < o->inside.count; i++)
        if (is_waited_for(o, &o->inside.all[i], thread->about.inner))
            who_hold(&thread->wait, holder(w, f, &o->inside.all[i]));
    thread->wait.more_holders += (unsigned)o->inside.more;
}

/* A lock within an object of data: its kind is that of the call on the waiter's stack. */
static void look_inside(const struct who *w, const struct file *f, const struct show *s,
                        struct who_thread *thread, uint64_t at)
{
    struct show_object o = {.at = at};
    uint32_t kind = FW_REGION_DATA;

    for (unsigned i = 0; i < thread->frame_count && kind == FW_REGION_DATA; i++) {
        const struct target_site *site = target_site_of(thread->target, thread->frames[i].address);
        const char *name = site->called != NULL ? site->called : site->location.symbol;
        if (name != NULL && strncmp(name, "fw_ipc_mutex_", 13) == 0)
            kind = FW_REGION_MUTEX;
        else if (name != NULL && strncmp(name, "fw_ipc_rwlock_", 14) == 0)
            kind = FW_REGION_RWLOCK;
    }
    if (kind == FW_REGION_DATA)
        return;
    o.size = kind == FW_REGION_MUTEX ? sizeof(fw_ipc_mutex) : sizeof(fw_ipc_rwlock);
    show_object(&o, &s->region, kind);
    take_holders(w, f, &o, thread);
    free(o.inside.all);
}

static const struct show_object *object_at(const struct show *s, uint64_t at)
{
    for (size_t i = 0; i < s->object_count; i++)
        if (at >= s->objects[i].at && at - s->objects[i].at < s->objects[i].size)
            return &s->objects[i];
    return NULL;
}

static void take_wait(struct who *w, const struct file *f, const struct show *s,
                      const struct show_participant *m, struct who_thread *thread)
{
    const struct show_object *o = object_at(s, m->thread.waits_for);
    struct who_wait *wait = &thread->wait;

    /* "waits to lock" */
    *wait = (struct who_wait){.is_waiting = true,
                              .is_region = true,
                              .is_timed = wait->is_timed,
                              .since = m->thread.since,
                              .key = f->key};
    wait->key.at = m->thread.waits_for;
    wait->what = (struct decode_answer){.kind = DECODE_REGION,
                                        .maker = DECODE_FURWOCK,
                                        .object = m->thread.waits_for,
                                        .is_shared = true};
    wait->what.action =
        strchr(m->thread.as, ' ') != NULL ? strchr(m->thread.as, ' ') + 1 : "for a change";
    snprintf(wait->name, sizeof wait->name, "%.60s", o != NULL ? o->name : "");
    if (o != NULL && o->kind != NULL && strcmp(o->kind, show_kinds[FW_REGION_DATA]) != 0)
        take_holders(w, f, o, thread);
    else
        look_inside(w, f, s, thread, m->thread.waits_for);
}

/* A thread of a process that is not yet among those that are looked at. */
static bool add_process(struct who *w, const struct show_thread *t)
{
    char why[256];

    if (t->who.is_foreign || t->who.process == 0 || t->who.life == REGION_DEAD ||
        t->who.life == REGION_CORRUPT)
        return false;
    for (size_t i = 0; i < w->target_count; i++)
        if (w->targets[i]->pid == (pid_t)t->who.process)
            return false;
    if (who_add(w, (pid_t)t->who.process, why, sizeof why))
        return true;
    who_note(w, "process %d takes part in a region: %s", (int)t->who.process, why);
    return false;
}

static bool read_region(struct who *w, const struct file *f)
{
    struct show s = {0};
    bool is_added = false;

    if (region_look(f->path, &s.region, &s.trouble) != 0 || !s.region.is_whole) {
        region_drop(&s.region);
        return false;
    }
    show_read(&s);
    for (size_t i = 0; i < s.participant_count && region_trouble(&s.region) == NULL; i++) {
        const struct show_participant *m = &s.participants[i];
        size_t thread = find_thread(w, f, &m->thread.who);
        if (thread == WHO_NOBODY)
            is_added |= add_process(w, &m->thread);
        else if (m->thread.as != NULL && w->threads[thread].wait.is_waiting)
            take_wait(w, f, &s, m, &w->threads[thread]);
    }
    show_free(&s);
    return is_added;
}

/* --- Which files ------------------------------------------------------------------------------ */

static bool is_listed(const struct file *all, size_t count, const struct target_map *m)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].key.device == m->device && all[i].key.inode == m->inode)
            return true;
    return false;
}

static struct file *add_files(const struct target *t, struct file *all, size_t *count)
{
    for (size_t i = 0; i < t->map_count; i++) {
        const struct target_map *m = &t->maps[i];
        struct file *f;
        if (!m->is_shared || m->path[0] != '/' || m->inode == 0 || is_listed(all, *count, m))
            continue;
        all = realloc(all, (*count + 1) * sizeof *all);
        if (all == NULL)
            abort();
        f = &all[(*count)++];
        f->key = (struct who_key){.device = m->device, .inode = m->inode, .is_shared = true};
        locations_file(t->pid, m->path, m->begin, m->end, m->inode, f->path, sizeof f->path);
    }
    return all;
}

bool who_read_regions(struct who *w)
{
    struct file *all = NULL;
    size_t count = 0;
    bool is_added = false;

    for (size_t i = 0; i < w->target_count; i++)
        if (w->targets[i]->core == NULL)
            all = add_files(w->targets[i], all, &count);
    for (size_t i = 0; i < count; i++)
        is_added |= read_region(w, &all[i]);
    free(all);
    return is_added;
}
