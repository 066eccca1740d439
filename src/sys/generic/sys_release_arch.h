/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_RELEASE_ARCH_H
#define FW_SYS_RELEASE_ARCH_H

/* No restartable sequences here: every release is one atomic instruction, and needs no fence. */
static inline bool fw_release_plain_(uint64_t *state, uint32_t id)
{
    (void)state;
    (void)id;
    return false;
}

static inline bool fw_release_quiet_(uint64_t *state)
{
    (void)state;
    return false;
}

static inline void fw_release_begin_(char *const *environment)
{
    (void)environment;
}

static inline int fw_release_fence_(void)
{
    return 0;
}

#endif
