/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_PERCPU_ARCH_H
#define FW_SYS_PERCPU_ARCH_H

/* The fake kernel's counters of CPUs: scripted (fake_percpu.h). */
uint32_t fw_percpu_count_(void);
bool fw_percpu_add_(const uint32_t *closed, void *counters, uint32_t n, uint32_t delta);
int fw_percpu_fence_(void);

#endif
