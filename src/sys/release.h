/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_RELEASE_H
#define FW_SYS_RELEASE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Release without an atomic instruction.
 *
 * The contract is in three calls.  The build picks the implementation: src/sys/x86_64/ (a
 * restartable sequence) or src/sys/generic/ (none: the first two always return false).
 *
 *     bool fw_release_plain_(uint64_t *state, uint32_t id);
 *
 * If the whole 64-bit state equals `id` (the lower half says who owns the lock, the upper half that
 * nothing else is to be known), stores 0 in the lower half with release order, as the last thing it
 * does to the memory, and returns true.  Otherwise, or where the kernel does not help, or after a
 * preemption or a signal in between, changes nothing and returns false: the caller then releases
 * with an atomic instruction.  Between look and store another thread may change the upper half; the
 * store leaves that half alone.  A thread that must not be overlooked calls the fence.
 *
 *     bool fw_release_quiet_(uint64_t *state);
 *
 * The same whoever owns the lock: it looks at the upper half only.  For callers who need not know
 * that they own it; it spares the look at who they are.
 *
 *     void fw_release_begin_(char *const *environment);
 *
 * Finds out what the kernel has, and what FURWOCK_FENCES says: while the library is loaded.  A
 * library that is loaded before the C library knows the environment calls it again with what the
 * loader gave it.
 *
 *     int fw_release_fence_(void);
 *
 * When it returns 0, each of these releases that looked before the call, in any thread of this
 * process, has either stored, and its store is visible, or will fail.  So: make the upper half
 * non-zero, call the fence, look again; from then on nobody releases this lock plainly.
 * It returns -EPERM (or another negative errno) where the kernel used to help and now refuses (a
 * system call filter was installed): nothing is known then, and a waiter must not sleep for long.
 */
#include <sys_release_arch.h>

#endif
