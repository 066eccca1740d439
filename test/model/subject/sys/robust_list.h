/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_ROBUST_LIST_H
#define FW_SYS_ROBUST_LIST_H

#include "sys/robust.h"

/* As src/sys/robust_list.h: robust.c. */
bool fw_robust_enter_(uint32_t *word, uint32_t tag);
void fw_robust_leave_(uint32_t *word);

#endif
