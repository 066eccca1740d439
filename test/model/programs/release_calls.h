/* SPDX-License-Identifier: MIT */
#ifndef MODEL_RELEASE_CALLS_H
#define MODEL_RELEASE_CALLS_H

#include <stddef.h>

#include "calls.h"

/* Of src/sys/x86_64/release.c; no program calls them, but subject/release.c. */
struct release_calls {
    void (*begin)(char *const *environment);
    int (*fence)(void);
    ptrdiff_t *offset; /* 0: there are no plain releases */
};

#define release_in_use ((const struct release_calls *)calls_in_use[FAMILY_RELEASE])

#endif
