/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_LAST_CPU_ARCH_H
#define FW_SYS_LAST_CPU_ARCH_H

void fw_last_cpu_join_(void);
bool fw_last_cpu_is_mine_(uint32_t tid);

#endif
