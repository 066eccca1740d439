/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_REGIONS_REGION_H
#define FW_COMMAND_REGIONS_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/inspect.h"

/*
 * A region as seen from outside, by a process that may read its file and changes nothing.  The
 * processes that use it go on meanwhile, so each word is read once, and what does not fit together
 * was read at different moments.  If the file is truncated meanwhile, zeroes are read, and
 * region_trouble says so.  One region is open at a time.
 */
struct region {
    char *name;     /* as it can be shown: command/print/visible.h */
    uint64_t bytes; /* of the file */
    struct fw_ipc_plan_ plan;
    struct fw_ipc_mapping_ mapping; /* a description; it is not entered anywhere */
    bool is_whole;                  /* it is mapped, and may be looked into */
    bool is_stale;                  /* from before the machine was started */
    struct region_known *known;     /* by slot: what has been found out about its thread */
};

/*
 * "/name" or "name" is a shared-memory object, and what has another '/' a file.  0: there is a
 * region; *why is NULL where it is whole, else what is the matter.  A positive errno: there is
 * none, and *why says why.
 */
int region_look(const char *name, struct region *r, const char **why);
void region_drop(struct region *r);

/* Asked after the last word was read.  NULL: none; else what was read is worth nothing, and why. */
const char *region_trouble(const struct region *r);

static inline const void *region_base(const struct region *r)
{
    return (const void *)r->mapping.base;
}

/* A thread that is named in the region. */
enum region_life { REGION_ALIVE, REGION_STOPPED, REGION_DEAD, REGION_CORRUPT };
struct region_thread {
    uint32_t process, thread; /* as its own pid namespace has them; 0: not known any more */
    enum region_life life;
    bool is_foreign; /* of another pid namespace */
};

/* The system is asked once for each thread that has a slot: all answers are of one moment. */
struct region_thread region_thread(const struct region *r, uint64_t holder);
const char *region_life_name(enum region_life life);

/* The thread that has the slot now, as a holder; 0: the slot is free. */
uint64_t region_tenant(const struct region *r, uint32_t slot);

/* An entry of the directory. */
struct region_object {
    struct fw_ipc_entry_ entry;
    uint32_t index;
};

/*
 * The objects, in the order of the directory; to be freed.  *damaged: how many more
 * entries are corrupt: they make no sense, or overlap others.
 */
struct region_object *region_objects(const struct region *r, unsigned *count, unsigned *damaged);

/* How many of its threads live, and of how many processes they are. */
void region_count(const struct region *r, unsigned *threads, unsigned *processes);

#endif
