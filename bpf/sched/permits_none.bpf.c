/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Instead of permits.bpf.c, for kernels that cannot have permits. */
#include "bpf/sched/permits.h"

void fw_turn_permit(struct task_struct *p, uint32_t slot) {}

void fw_make_works(struct task_struct *p, uint32_t slot) {}

void fw_close_permits(void) {}
