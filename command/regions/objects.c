/* SPDX-License-Identifier: MIT */
/*
 * The objects in a region, by its directory, which may be corrupt.
 *
 * Objects lie apart from each other.  Where entries say otherwise, some of them lie, and nothing
 * tells which.  Those are kept that end first: so one entry that claims everything does not hide
 * all others, and looking into what is kept takes no longer than looking at the region once.
 */
#include <errno.h>
#include <stdlib.h>

#include "region.h"

static uint64_t end_of(const struct region_object *o)
{
    return o->entry.at + o->entry.size; /* within the region, and so without overflow */
}

static int by_end(const void *a, const void *b)
{
    const struct region_object *x = a, *y = b;

    if (end_of(x) != end_of(y))
        return end_of(x) < end_of(y) ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static int by_index(const void *a, const void *b)
{
    const struct region_object *x = a, *y = b;

    return x->index < y->index ? -1 : x->index > y->index;
}

struct region_object *region_objects(const struct region *r, unsigned *count, unsigned *damaged)
{
    struct region_object *all = calloc(r->plan.entry_count, sizeof *all);
    unsigned sound = 0;
    uint64_t end = 0;

    if (all == NULL)
        abort();
    *count = *damaged = 0;
    for (uint32_t i = 0; i < r->plan.entry_count; i++) {
        int error = fw_ipc_directory_read_(region_base(r), &r->plan, i, &all[sound].entry);
        all[sound].index = i;
        sound += error == 0;
        *damaged += error == EUCLEAN;
    }
    qsort(all, sound, sizeof *all, by_end);
    for (unsigned i = 0; i < sound; i++) {
        if (all[i].entry.at < end) {
            ++*damaged;
            continue;
        }
        end = end_of(&all[i]);
        all[(*count)++] = all[i];
    }
    qsort(all, *count, sizeof *all, by_index);
    return all;
}
