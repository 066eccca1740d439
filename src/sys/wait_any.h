/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_WAIT_ANY_H
#define FW_SYS_WAIT_ANY_H

#include <stdbool.h>

/*
 * Can a thread sleep on several words here (fw_futex_wait_any)?  False: the kernel is older than
 * Linux 5.16, or a filter refuses the call.  The first call in a process asks the kernel.
 */
bool fw_can_wait_any_(void);

#endif
