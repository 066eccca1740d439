/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_VM_OTHER_H
#define FW_TEST_VM_OTHER_H

/* Another sched_ext scheduler than ours: other.bpf.c. */
#define OTHER_NAME "other_one"

/* Makes it the system's scheduler; 0, or what the kernel said. */
int other_start(void);
void other_end(void);

#endif
