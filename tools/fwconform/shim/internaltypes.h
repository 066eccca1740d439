/* SPDX-License-Identifier: MIT */
#ifndef FW_CONFORM_INTERNALTYPES_H
#define FW_CONFORM_INTERNALTYPES_H

#include <stdint.h>

/* How many wait is in the upper half of a semaphore's first eight bytes: the C library's format. */
#define __HAVE_64B_ATOMICS 1
#define SEM_NWAITERS_SHIFT 32

struct new_sem {
    uint64_t data;
    int private;
    int pad;
};

#endif
