/* SPDX-License-Identifier: MIT */
/* What follows from an acquisition, for all that the thread holds.  Contract: check.h. */
#include "edge.h"
#include "sys/single_threaded.h"

/* How often classes may turn out to need a split at one acquisition. */
enum { TRIES = 8 };

/* True: a class was split, and what was done so far is to be done again. */
static bool add_edges(struct fw_check_thread_ *t, const void *object, uint32_t mark,
                      const void *site)
{
    bool is_news;

    for (uint32_t i = 0; i < t->count; i++) {
        const struct fw_check_held_ *h = &t->held[i];
        struct fw_check_edge_ *e;

        if (h->object == NULL || h->object == object || h->mark < 2)
            continue;
        if (h->mark >> 1 == mark >> 1) {
            if (fw_check_node_of_(mark)->is_split)
                continue; /* no room for its instances */
            fw_check_split_(mark >> 1);
            return true;
        }
        e = fw_check_edge_(t, h, object, mark, site, &is_news);
        if (e != NULL && is_news && fw_check_cycles_(e))
            return true;
    }
    return false;
}

uint32_t fw_check_order_(struct fw_check_thread_ *t, const void *object, uint32_t mark,
                         const void *site)
{
    if (fw_is_single_threaded_()) /* there is nobody to take them in another order */
        return mark;
    for (unsigned i = 0; i < TRIES && add_edges(t, object, mark, site); i++) {
        fw_check_rename_(t);
        mark = fw_check_node_(object, mark >> 1, site, true) << 1 | (mark & 1);
    }
    return mark;
}
