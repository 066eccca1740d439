/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_PROCESSORS_H
#define FW_SYS_PROCESSORS_H

#include <stdint.h>

/*
 * How many processors the machine is configured with, whether or not they are on and the process
 * may use them: so many lines are enough for a line each.  At least 1.  The first call reads files.
 */
uint32_t fw_processors_(void);

#endif
