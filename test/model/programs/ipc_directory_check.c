/* SPDX-License-Identifier: MIT */
#include "ipc_directory_check.h"

#include <errno.h>
#include <stdio.h>

#include "../memory.h"
#include "ipc/region/layout.h"
#include "ipc_region.h"

enum { NAMES = 3, ALIGNMENT = 64, USES_WORD = 1 };

/*
 * USES, MADE_BY (thread + 1): by name.  ASKS: by thread, the request under way, as an address;
 * WAS_THERE: a bit for each thread, whose name was there when its call began.
 */
enum shadow { USES, MADE_BY = USES + NAMES, ASKS = MADE_BY + NAMES, WAS_THERE = ASKS + 4 };

struct fw_region directory_region;

static struct fw_ipc_entry_ *entries;

#define ENTRY sizeof(struct fw_ipc_entry_)
#define PART(n, field, bytes)                                                               \
    {                                                                                       \
#field "-" #n, (n) * (unsigned)ENTRY + offsetof(struct fw_ipc_entry_, field), bytes \
    }
#define PARTS(n) PART(n, state, 4), PART(n, at, 8), PART(n, size, 8), PART(n, name, 8)

static const struct fw_ipc_plan_ *plan(void)
{
    return &directory_region.joined.plan;
}

static struct fw_ipc_head_ *head(void)
{
    return region_mapping->head;
}

static uint64_t offset_of(const void *p)
{
    return (uint64_t)((uintptr_t)p - region_mapping->base);
}

static uint64_t align(uint64_t at)
{
    return (at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static uint64_t *at_offset(uint64_t at)
{
    return (uint64_t *)(region_mapping->base + (uintptr_t)at);
}

void directory_check_make(unsigned count, unsigned bytes)
{
    static const struct model_part entry_parts[] = {PARTS(0), PARTS(1), PARTS(2), {NULL, 0, 0}};
    struct fw_ipc_plan_ *p = &directory_region.joined.plan;
    uint8_t *memory;

    region_make(model_thread_count, true);
    entries = model_object("entry", (unsigned)(count * ENTRY), entry_parts, NULL);
    memory = model_object("objects", bytes + ALIGNMENT, NULL, NULL);
    directory_region = (struct fw_region){.uses = 1, .mapping = region_mapping};
    directory_region.joined.base = (void *)region_mapping->base;
    *p = (struct fw_ipc_plan_){.entry_count = count, .participant_count = model_thread_count};
    p->entries_at = (uint32_t)offset_of(entries);
    p->participants_at = (uint32_t)offset_of(region_slots);
    p->objects_at = align(offset_of(memory));
    p->size = p->objects_at + bytes;
}

/* --- What is in memory ---------------------------------------------------------------------- */

static bool is_used(unsigned entry)
{
    return entries[entry].state != 0;
}

static int entry_of(const char *name)
{
    for (unsigned i = 0; i < plan()->entry_count; i++)
        if (is_used(i) && entries[i].name[0] == name[0])
            return (int)i;
    return -1;
}

/* Where the objects end, except this entry's. */
static uint64_t end_without(unsigned entry)
{
    uint64_t end = plan()->objects_at;

    for (unsigned i = 0; i < plan()->entry_count; i++)
        if (is_used(i) && i != entry && align(entries[i].at + entries[i].size) > end)
            end = align(entries[i].at + entries[i].size);
    return end;
}

static bool is_full_for(unsigned size)
{
    uint64_t end = end_without(UINT32_MAX);
    unsigned used = 0;

    for (unsigned i = 0; i < plan()->entry_count; i++)
        used += is_used(i);
    return used == plan()->entry_count || end > plan()->size || size > plan()->size - end;
}

static unsigned index_of(const char *name)
{
    return (unsigned)(name[0] - 'a');
}

static const struct directory_request *request_of(unsigned thread)
{
    return (const struct directory_request *)(uintptr_t)*shadow(ASKS + thread);
}

static bool has_directory(unsigned thread)
{
    return (head()->naming.word_ & FW_IPC_SLOT) == thread + 1;
}

/* --- Calls ---------------------------------------------------------------------------------- */

void directory_check_begins(unsigned self, const struct directory_request *r)
{
    *shadow(ASKS + self) = (uint64_t)(uintptr_t)r;
    *shadow(WAS_THERE) &= ~model_bit(self);
    *shadow(WAS_THERE) |= (uint64_t)(entry_of(r->name) >= 0) << self;
}

/* It is what was asked for. */
static void check_found(unsigned self, const struct directory_request *r, bool was_there,
                        const void *object)
{
    int i = entry_of(r->name);

    if (i < 0)
        model_thread_fail("answer", "thread %llu has found what is not there", self, 0);
    if (object != at_offset(entries[i].at))
        model_thread_fail("answer", "thread %llu has found an object at 0x%llx", self,
                          offset_of(object));
    if (entries[i].state != r->kind || entries[i].size < r->size)
        model_thread_fail("answer", "thread %llu has found another kind or size", self, 0);
    if ((r->flags & FW_REGION_EXCLUSIVE) != 0 &&
        (was_there || *shadow(MADE_BY + index_of(r->name)) != self + 1))
        model_thread_fail("answer", "thread %llu is told that it has made it", self, 0);
}

static bool is_right(unsigned self, const struct directory_request *r, bool was_there, int error)
{
    bool makes = (r->flags & FW_REGION_CREATE) != 0;
    bool is_exclusive = (r->flags & FW_REGION_EXCLUSIVE) != 0;
    int i = entry_of(r->name);

    switch (error) {
    case ENOENT:
        return !makes && !was_there;
    case EEXIST:
        return is_exclusive && i >= 0 &&
               (was_there || *shadow(MADE_BY + index_of(r->name)) != self + 1);
    case EPROTO:
        return !is_exclusive && i >= 0 &&
               (entries[i].state != r->kind || entries[i].size < r->size);
    case ENOSPC:
        return makes && !was_there && is_full_for(r->size);
    case ECANCELED:
        return makes && !was_there && r->init == INIT_FAILS;
    default:
        return false;
    }
}

void directory_check_returns(unsigned self, const struct directory_request *r, int error,
                             const void *object)
{
    bool was_there = (*shadow(WAS_THERE) >> self & 1) != 0;

    *shadow(ASKS + self) = 0;
    *shadow(WAS_THERE) &= ~model_bit(self);
    if (error == 0)
        check_found(self, r, was_there, object);
    else if (!is_right(self, r, was_there, error))
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
}

void directory_check_is_blank(unsigned self, const void *object, unsigned size)
{
    for (unsigned i = 0; i < size; i += sizeof(uint64_t))
        if (memory_read(self, (uint64_t)(uintptr_t)object + i, 8) != 0)
            model_thread_fail("not zeroes", "thread %llu makes an object of what is 0x%llx", self,
                              memory_read(self, (uint64_t)(uintptr_t)object + i, 8));
}

uint64_t *directory_check_uses(void *object)
{
    return (uint64_t *)object + USES_WORD;
}

void directory_check_used(const struct directory_request *r, uint64_t before)
{
    uint64_t *uses = shadow(USES + index_of(r->name));

    if (before != *uses)
        model_thread_fail("lost update", "%llu uses, and the object has counted %llu", *uses,
                          before);
    ++*uses;
}

/* --- Changes of memory ---------------------------------------------------------------------- */

enum model_access directory_check_access(const void *p)
{
    uint64_t at = offset_of(p) - plan()->entries_at;

    if (at < plan()->entry_count * ENTRY && at % ENTRY >= offsetof(struct fw_ipc_entry_, name[8]))
        return ACCESS_DIRECT; /* no name is as long as that */
    if (offset_of(p) - offset_of(&head()->naming.history_) < sizeof head()->naming.history_)
        return ACCESS_DIRECT; /* the mutex's own programs have it */
    return region_access(p);
}

/* As the maker's init has left it. */
static void check_content(unsigned thread, const struct fw_ipc_entry_ *e)
{
    const struct directory_request *r = request_of(thread);
    const uint64_t *words = at_offset(e->at);
    unsigned last = (unsigned)(e->size / sizeof *words) - 1;
    uint64_t stamp = r->init == INIT_NONE ? 0 : (uint64_t)r->name[0];

    for (unsigned i = 0; i <= last; i++)
        if (words[i] != (i == 0 || i == last ? stamp : 0))
            model_fail("half made", "an object can be found, and its word %llu is 0x%llx", i,
                       words[i]);
}

/* The entry can be found from now on. */
static void check_entry(unsigned thread, unsigned entry)
{
    const struct fw_ipc_entry_ *e = &entries[entry];
    const struct directory_request *r = request_of(thread);
    uint64_t *made_by;

    if (r == NULL || e->state != r->kind || e->size != r->size || e->name[0] != r->name[0]) {
        model_fail("half made", "entry %llu is not what thread %llu asks for", entry, thread);
        return;
    }
    made_by = shadow(MADE_BY + index_of(r->name));
    if (r->init == INIT_FAILS)
        model_fail("half made", "thread %llu enters an object that it could not make", thread, 0);
    else if (*made_by != 0)
        model_fail("twice", "thread %llu makes an object of a name that is there", thread, 0);
    else if (e->at != end_without(entry))
        model_fail("space", "an object lies at 0x%llx, and those before it end at 0x%llx", e->at,
                   end_without(entry));
    else if (e->at + e->size > plan()->size)
        model_fail("space", "an object ends at 0x%llx, the region at 0x%llx", e->at + e->size,
                   plan()->size);
    else
        check_content(thread, e);
    *made_by = thread + 1;
}

static void entry_changed(unsigned thread, uint64_t at, uint64_t before)
{
    unsigned entry = (unsigned)(at / ENTRY);
    bool is_state = at % ENTRY == 0;

    if (!has_directory(thread))
        model_fail("exclusion", "thread %llu changes entry %llu, and does not have the lock",
                   thread, entry);
    else if (is_state ? (uint32_t)before != 0 : is_used(entry))
        model_fail("word", "thread %llu changes entry %llu, which can be found", thread, entry);
    else if (is_state)
        check_entry(thread, entry);
}

static void object_changed(unsigned thread, uint64_t at, uint64_t before)
{
    uint64_t now = *at_offset(at);

    for (unsigned i = 0; i < plan()->entry_count; i++) {
        uint64_t word = (at - entries[i].at) / sizeof now;
        if (!is_used(i) || at - entries[i].at >= entries[i].size)
            continue;
        if (word != USES_WORD || now != before + 1)
            model_fail("word", "thread %llu writes 0x%llx over an object", thread, now);
        return;
    }
    if (!has_directory(thread))
        model_fail("exclusion", "thread %llu writes to 0x%llx, and does not have the lock", thread,
                   at);
    else if (at >= head()->dirty_to)
        model_fail("space", "thread %llu writes to 0x%llx, and nobody would know", thread, at);
}

void directory_check_changed(unsigned thread, uint64_t addr, uint64_t before)
{
    uint64_t at = offset_of((const void *)(uintptr_t)addr);

    region_changed(thread, addr, before);
    if (at - plan()->entries_at < plan()->entry_count * ENTRY)
        entry_changed(thread, at - plan()->entries_at, before);
    else if (at >= plan()->objects_at && at < plan()->size)
        object_changed(thread, at, before);
    else if (addr == (uint64_t)(uintptr_t)&head()->dirty_to &&
             (!has_directory(thread) || head()->dirty_to < before))
        model_fail("space", "thread %llu says that what is dirty ends at 0x%llx", thread,
                   head()->dirty_to);
}

/* --- The end -------------------------------------------------------------------------------- */

void directory_check_finished(void)
{
    uint64_t end = end_without(UINT32_MAX);

    for (unsigned i = 0; i < plan()->entry_count; i++)
        if (is_used(i) &&
            at_offset(entries[i].at)[USES_WORD] != *shadow(USES + index_of(entries[i].name)))
            model_fail("lost update", "%llu uses, and an object has counted %llu",
                       *shadow(USES + index_of(entries[i].name)),
                       at_offset(entries[i].at)[USES_WORD]);
    for (uint64_t at = end > head()->dirty_to ? end : head()->dirty_to; at < plan()->size; at += 8)
        if (*at_offset(at) != 0)
            model_fail("space", "0x%llx is in nobody's use, and is 0x%llx", at, *at_offset(at));
    if (region_thread_of(head()->naming.word_) < MODEL_MAX_THREADS)
        model_fail("word", "all are done, and the lock is 0x%llx", head()->naming.word_, 0);
}
