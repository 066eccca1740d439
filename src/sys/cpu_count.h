/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_CPU_COUNT_H
#define FW_SYS_CPU_COUNT_H

#include <stdint.h>

/*
 * How many CPUs the machine is configured with, whether or not they are online and the process may
 * use them: an upper bound of what the process will ever run on.  At least 1.  The first call reads
 * files.
 */
uint32_t fw_cpu_count_(void);

/*
 * How many of them the process's first thread may use, at the first call; which is mostly what all
 * its threads may, and what a container lets it.  1 where the kernel does not say.
 */
uint32_t fw_cpus_allowed_(void);

#endif
