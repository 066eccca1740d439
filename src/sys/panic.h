/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_PANIC_H
#define FW_SYS_PANIC_H

#include <stddef.h>
#include <stdint.h>

/*
 * Aborts the program after one line on standard error:
 *     furwock: WHAT: lock 0x... , caller 1234, owner 1235
 * caller and owner are identities as in sys/thread.h; 0 as owner reads "nobody".
 * Allocates nothing and takes no lock.
 */
_Noreturn void fw_panic_(const char *what, const void *lock, uint32_t caller, uint32_t owner);

/* The same about a task: "furwock: WHAT: task N (its number in a lock's word)". */
_Noreturn void fw_panic_task_(const char *what, uint32_t task);

/* The same about an object of n bytes: "furwock: WHAT: 0x..., N bytes". */
_Noreturn void fw_panic_object_(const char *what, const void *object, size_t n);

/*
 * The same for a kernel answer that cannot be: "furwock: WHAT: unexpected error N", and what it
 * comes from, in parentheses, where that is known.
 */
_Noreturn void fw_panic_errno_(const char *what, int error);

#endif
