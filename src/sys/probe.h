/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_PROBE_H
#define FW_SYS_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What does this kernel offer to this process?  Each function makes a system call that does
 * nothing, or fails by its arguments, closes what it has opened, and returns 0 or a positive errno
 * value.  ENOSYS: the kernel has no such call; EPERM or EACCES: a filter or a missing capability
 * refuses it; anything else: the call is there.
 *
 * For the program furwock only: no lock asks before it acts.
 */

/* --- Futexes ---------------------------------------------------------------------------------- */
int fw_probe_waitv_(void);         /* futex_waitv, Linux 5.16 */
int fw_probe_futex2_(void);        /* futex_wake, Linux 6.7 */
int fw_probe_robust_unlock_(void); /* FUTEX_ROBUST_UNLOCK, Linux 7.2 */
int fw_probe_inherit_(void);       /* FUTEX_LOCK_PI, Linux 2.6.18 */
int fw_probe_inherit2_(void);      /* FUTEX_LOCK_PI2, Linux 5.14 */

/* Robust lists; if the caller has one already, *offset is how far an entry lies from its word, in
 * bytes. */
int fw_probe_robust_list_(long *offset);

/* Buckets of the process's own futex table (Linux 6.17); 0: it uses the machine's; -1: never. */
int fw_probe_hash_(void);

/* --- Everything else -------------------------------------------------------------------------- */

/* *has: membarrier can restart rseq critical sections (Linux 5.10). */
int fw_probe_membarrier_rseq_(bool *has);

int fw_probe_bpf_map_(void);     /* creates a BPF map of one word */
int fw_probe_bpf_program_(void); /* loads a BPF program that does nothing, attached to nothing */
int fw_probe_bpf_mount_(void);   /* makes a BPF file system that is mounted nowhere */

/* Has the calling thread this capability (CAP_...), in effect? */
bool fw_probe_capability_(unsigned capability);

#endif
