/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_STAT_WHAT_H
#define FW_PRELOAD_STAT_WHAT_H

/* What is waited for, and how.  The numbers are those of the file (stat_file.h). */
enum fw_stat_what_ {
    FW_STAT_MUTEX,
    FW_STAT_COND,
    FW_STAT_READ,
    FW_STAT_WRITE,
    FW_STAT_SEM,
    FW_STAT_BARRIER,
    FW_STAT_SPIN,
    FW_STAT_FW_MUTEX /* furwock's own; its other locks count as what they are like */
};

#endif
