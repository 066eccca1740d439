/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_RT_VIEW_H
#define FW_COMMAND_RT_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "command/regions/region.h"
#include "rt/inspect.h"

/*
 * What a group knows (rt/state.h), as a stranger sees it, and what follows from that.  Its tasks go
 * on meanwhile, so each word is read once, and what does not fit together was read at different
 * moments.  It may also be nonsense: indices are checked, and names are made visible.
 */
enum rt_life { RT_ALIVE, RT_GONE, RT_FOREIGN };

struct rt_view_task {
    bool is_there; /* the record has a task, dead or alive */
    enum rt_life liveness;
    uint64_t has;        /* locks, a bit each */
    uint64_t ns;         /* how long it has waited; 0: it does not wait */
    uint32_t asks_for;   /* a lock; or FW_RT_NONE */
    uint32_t behind;     /* the lock for whose section it waits; or FW_RT_NONE */
    uint32_t in_the_way; /* the task that is in that section; or FW_RT_NONE */
    uint32_t inherits;   /* the most urgent base priority of those who wait for it; 0: none */
};

struct rt_view {
    struct fw_rt_state state; /* a copy */
    struct rt_view_task task[FW_RT_TASKS];
    unsigned tasks, locks; /* that are there */
};

/* The group in the region; NULL, or why there is none. */
const char *rt_view_region(struct rt_view *v, const struct region *r);

/* From v->state, which has been read; `r` is where, or NULL. */
void rt_view_conclude(struct rt_view *v, const struct region *r);

/* Copies memory that others write, word by word; sizes are multiples of 8. */
void rt_view_copy(void *to, const void *from, size_t size);

static inline bool rt_view_has_lock(const struct rt_view *v, uint32_t d)
{
    return d < FW_RT_LOCKS && v->state.lock[d].protocol != 0;
}

#endif
