/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_RELEASE_ARCH_H
#define FW_SYS_RELEASE_ARCH_H

/* The fake kernel's release without an atomic instruction: scripted and counted (fake.h). */
bool fw_release_plain_(uint64_t *state, uint32_t id);
bool fw_release_quiet_(uint64_t *state);
int fw_release_fence_(void);

#endif
