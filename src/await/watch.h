/* SPDX-License-Identifier: MIT */
#ifndef FW_AWAIT_WATCH_H
#define FW_AWAIT_WATCH_H

#include "await/region.h"

/* What watch.c and watch_arm.c share. */

/* Of a kernel wait. */
enum { FW_ROLE_WORD_, FW_ROLE_LIFE_, FW_ROLE_BESIDE_, FW_ROLE_ALARM_ };

/* No interval: nobody waits, and it is kept for those that may. */
#define FW_NEVER_ UINT64_MAX

static inline struct fw_region_loop_ *fw_regions_of_(const fw_loop *loop)
{
    return (struct fw_region_loop_ *)loop->regions;
}

static inline struct fw_engine_ *fw_engine_of_(const struct fw_watch_ *w)
{
    return fw_regions_of_(w->loop)->engine;
}

static inline struct fw_region_alarm_ *fw_alarm_of_(const struct fw_watch_ *w)
{
    return &fw_regions_of_(w->loop)->alarms[w->mapping->index];
}

/* Intervals: AWI3. */
void fw_watch_note_recheck_(const struct fw_watch_ *w);
void fw_watch_begin_interval_(struct fw_watch_ *w, uint64_t ns);
void fw_watch_begin_anew_(struct fw_watch_ *w);

/* Nothing of it is in the kernel, and nobody may need it. */
bool fw_watch_is_unused_(const struct fw_watch_ *w);

/* What is in the kernel is to come back. */
void fw_watch_disarm_(struct fw_watch_ *w);

#endif
