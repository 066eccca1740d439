/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_RELEASE_ARCH_H
#define FW_SYS_RELEASE_ARCH_H

#include <stddef.h>

/* The plain release (src/sys/release.h), step by step: release.c. */
bool fw_release_plain_(uint64_t *state, uint32_t id);
bool fw_release_quiet_(uint64_t *state);

/* Those of src/sys/x86_64/release.c, or of a copy; for all others, the one that is in use. */
int fw_release_fence_(void);
void fw_release_begin_(char *const *environment);
extern ptrdiff_t fw_rseq_offset_;

#endif
