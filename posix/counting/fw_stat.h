/* SPDX-License-Identifier: MIT */
#ifndef FW_STAT_VARIANT_H
#define FW_STAT_VARIANT_H

#include <stdbool.h>

#include "object.h"
#include "stat_file.h"

/* Contract: posix/stat.h.  Counts, into the file of stat_file.h. */
struct fw_stat_ {
    struct fw_stat_wait_ *wait; /* in the thread's entry of the file, or the next; NULL: off */
    struct fw_stat_wait_ own;   /* where the thread has no entry, or waits within a wait */
};

#define fw_stat_counts_ true

/* Called first, where a thread is about to wait: by the library that checks; else NULL. */
extern void (*fw_stat_on_wait_)(enum fw_stat_what_ what, const void *object, const void *site);

/* Plain mutexes only: the others have a list where this would be. */
static inline void fw_stat_took_(struct fw_posix_mutex_ *m, const void *site)
{
    __atomic_store_n(&m->site, site, __ATOMIC_RELAXED);
}

void fw_stat_begin_(struct fw_stat_ *s, enum fw_stat_what_ what, const void *object,
                    const void *site);
void fw_stat_end_(struct fw_stat_ *s, int result);

static inline void fw_stat_holder_(struct fw_stat_ *s, int thread, const void *site)
{
    if (s->wait == NULL)
        return;
    s->wait->holder = (uint32_t)thread;
    s->wait->holder_site = (uintptr_t)site;
}

#endif
