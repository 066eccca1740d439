/* SPDX-License-Identifier: MIT */
/*
 * All that there is in a region: participants first, then the objects, with those who wait for
 * them.
 */
#include <stdlib.h>
#include <string.h>

#include <furwock/bits/atomic.h>
#include <furwock/ipc/region.h>

#include "command/print/visible.h"
#include "show.h"

static const char *how(uint32_t waits_how)
{
    switch (waits_how) {
    case FW_IPC_WAITS_LOCK:
        return "waits to lock";
    case FW_IPC_WAITS_READ:
        return "waits to read";
    case FW_IPC_WAITS_COND:
        return "waits for a signal";
    default:
        return "waits";
    }
}

static void read_participant(struct show_participant *participant, const struct region *r,
                             uint32_t slot, uint64_t tenant)
{
    const struct fw_ipc_participant_ *m = &r->mapping.participants[slot];
    uint64_t waits_for = fw_load64_acquire(&m->waits_for);

    *participant = (struct show_participant){.slot = slot, .generation = (uint32_t)(tenant >> 32)};
    participant->thread = (struct show_thread){.who = region_thread(r, tenant), .number = -1};
    if (waits_for != 0 && participant->thread.who.life != REGION_DEAD) {
        participant->thread.as = how(fw_load32_relaxed(&m->waits_how));
        participant->thread.waits_for = waits_for;
        participant->thread.has_ns = true;
        participant->thread.since = fw_load64_relaxed(&m->waits_since);
        participant->thread.ns = show_age(participant->thread.since);
    }
}

static void read_participants(struct show *s)
{
    const struct region *r = &s->region;

    s->participants = calloc(r->mapping.participant_count, sizeof *s->participants);
    if (s->participants == NULL)
        abort();
    for (uint32_t slot = 0; slot < r->mapping.participant_count; slot++) {
        uint64_t tenant = region_tenant(r, slot);
        if (tenant != 0)
            read_participant(&s->participants[s->participant_count++], r, slot, tenant);
    }
}

static struct show_object *add_object(struct show *s, const char *name, uint64_t at, uint64_t size)
{
    struct show_object *all = realloc(s->objects, (s->object_count + 1) * sizeof *all);
    struct show_object *o;

    if (all == NULL)
        abort();
    s->objects = all;
    o = &all[s->object_count++];
    *o = (struct show_object){.at = at, .size = size};
    strncpy(o->name, name, sizeof o->name - 1);
    visible(o->name);
    for (size_t i = 0; i < s->participant_count; i++) {
        const struct show_thread *t = &s->participants[i].thread;
        if (t->as != NULL && t->waits_for >= at && t->waits_for - at < size)
            show_add(&o->waiting, *t);
    }
    return o;
}

/* The lock of those who change the directory is shown while somebody has it. */
static void read_directory_lock(struct show *s)
{
    const struct fw_ipc_head_ *head = s->region.mapping.head;
    struct show_object *o;

    if (fw_load64_relaxed(&head->naming.word_) == 0)
        return;
    o = add_object(s, "(directory)", offsetof(struct fw_ipc_head_, naming), sizeof head->naming);
    show_object(o, &s->region, FW_REGION_MUTEX);
}

void show_read(struct show *s)
{
    struct region_object *all;
    unsigned count;

    read_participants(s);
    all = region_objects(&s->region, &count, &s->damaged);
    for (unsigned i = 0; i < count; i++) {
        const struct fw_ipc_entry_ *e = &all[i].entry;
        show_object(add_object(s, e->name, e->at, e->size), &s->region, e->state);
    }
    free(all);
    read_directory_lock(s);
}

void show_free(struct show *s)
{
    for (size_t i = 0; i < s->object_count; i++) {
        free(s->objects[i].inside.all);
        free(s->objects[i].waiting.all);
    }
    free(s->objects);
    free(s->participants);
    region_drop(&s->region);
}
