/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_SLICE_ARCH_H
#define FW_SYS_SLICE_ARCH_H

#include <stddef.h>

/* No restartable sequences here. */
static inline char *fw_slice_area_(void)
{
    return NULL;
}

#endif
