/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_WHY_H
#define FW_IPC_WHY_H

/*
 * The sentence for a thread's last error in a call on regions: fw_region_strerror.  Such a call is
 *
 *     fw_region_forget_();
 *     ... if (...) error = fw_region_fail_(EINVAL, "there is no flag 0x%x", flag);
 *     return fw_region_ended_(error);
 *
 * and may contain another, before its own first fw_region_fail_.  (The model checker has others:
 * test/model/subject/.)
 */
void fw_region_forget_(void);

/* Returns the error. */
int fw_region_fail_(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same: what the system says of the error, if nothing else was said of it; "" for 0. */
int fw_region_ended_(int error);

#endif
