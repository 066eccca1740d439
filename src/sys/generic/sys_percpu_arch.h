/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_PERCPU_ARCH_H
#define FW_SYS_PERCPU_ARCH_H

/* No restartable sequences here: nobody can have a counter of a CPU. */
static inline uint32_t fw_percpu_count_(void)
{
    return 0;
}

static inline bool fw_percpu_add_(const uint32_t *closed, void *counters, uint32_t n,
                                  uint32_t delta)
{
    (void)closed;
    (void)counters;
    (void)n;
    (void)delta;
    return false;
}

static inline int fw_percpu_fence_(void)
{
    return 0;
}

#endif
