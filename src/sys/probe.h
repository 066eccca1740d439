/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_PROBE_H
#define FW_SYS_PROBE_H

#include <stddef.h>
#include <stdint.h>

/*
 * What does this kernel know of futexes?  Each call makes a system call that does nothing, or fails
 * by its arguments, and answers a positive errno value, or 0.  ENOSYS: the kernel has no such call;
 * EPERM or EACCES: a filter refuses it; anything else: it is there.
 *
 * For the program furwock only: no lock asks before it acts.
 */
int fw_probe_waitv_(void);         /* futex_waitv, Linux 5.16 */
int fw_probe_futex2_(void);        /* futex_wake, Linux 6.7 */
int fw_probe_robust_unlock_(void); /* FUTEX_ROBUST_UNLOCK, Linux 7.2 */
int fw_probe_inherit_(void);       /* FUTEX_LOCK_PI, Linux 2.6.18 */
int fw_probe_inherit2_(void);      /* FUTEX_LOCK_PI2, Linux 5.14 */

/* The caller's robust list, and how far an entry lies from its word, in bytes.  ENOENT: none. */
int fw_probe_robust_list_(long *offset);

/* Buckets of the process's own futex table (Linux 6.17); 0: it uses the machine's; -1: never. */
int fw_probe_hash_(void);

#endif
