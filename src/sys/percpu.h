/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_PERCPU_H
#define FW_SYS_PERCPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Counters, one for each CPU, changed without an atomic instruction.
 *
 * The build picks the implementation: src/sys/x86_64/ (a restartable sequence) or src/sys/generic/
 * (none: there are no counters, and the second call always returns false).
 *
 *     uint32_t fw_percpu_count_(void);
 *
 * How many counters a new object should have, so that every CPU finds its own; 0 where the
 * kernel does not help, or does so no longer: then there is no use for any.  Not a fast call.
 *
 *     bool fw_percpu_add_(const uint32_t *closed, void *counters, uint32_t n, uint32_t delta);
 *
 * `counters` are n > 0 counters, each the first 32 bits of FW_PERCPU_STRIDE bytes.  If *closed is
 * 0, adds delta to the counter of the CPU on which the caller runs, as the last thing it does to
 * the memory, and returns true.  Otherwise, or after a preemption or a signal in between, or where
 * n is too small for this CPU's number, changes nothing and returns false.  Acquires before
 * and releases after: what other threads did before they stored 0 in *closed is visible when it
 * returns true, and what the caller did before is visible to whoever sees the counter changed.
 *
 *     int fw_percpu_fence_(void);
 *
 * When it returns 0, every fw_percpu_add_ that loaded its flag before the call, in any thread of
 * this process, has either added, and that is visible, or will fail.  So: make *closed non-zero,
 * call the fence; from then on the counters stand still until it is 0 again, and belong to
 * whoever closed it.  It returns a negative errno where the kernel used to help and now refuses:
 * -ENOMEM (for the moment), or -EPERM and others (a system call filter): nothing is known then.
 */

/* Counters lie a cache line apart. */
#define FW_PERCPU_STRIDE 64u

#include <sys_percpu_arch.h>

#endif
