/* SPDX-License-Identifier: MIT */
#ifndef FW_STAT_VARIANT_H
#define FW_STAT_VARIANT_H

#include <stdbool.h>

struct fw_posix_mutex_;

/* Contract: posix/stat.h.  Counts nothing. */
struct fw_stat_ {
    bool unused;
};

#define fw_stat_counts_ false

static inline void fw_stat_took_(struct fw_posix_mutex_ *m, const void *site)
{
    (void)m;
    (void)site;
}

static inline void fw_stat_begin_(struct fw_stat_ *s, enum fw_stat_what_ what, const void *object,
                                  const void *site)
{
    (void)s;
    (void)what;
    (void)object;
    (void)site;
}

static inline void fw_stat_holder_(struct fw_stat_ *s, int thread, const void *site)
{
    (void)s;
    (void)thread;
    (void)site;
}

static inline void fw_stat_end_(struct fw_stat_ *s, int result)
{
    (void)s;
    (void)result;
}

#endif
