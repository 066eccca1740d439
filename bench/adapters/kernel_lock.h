/* SPDX-License-Identifier: MIT */
#ifndef FW_ADAPTERS_KERNEL_LOCK_H
#define FW_ADAPTERS_KERNEL_LOCK_H

/*
 * For locks that are in the kernel altogether, where ThreadSanitizer cannot see them: it has to be
 * told what it is that they order.
 */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#define KERNEL_LOCK_TAKEN(address) __tsan_acquire(address)
#define KERNEL_LOCK_GIVEN(address) __tsan_release(address)
#else
#define KERNEL_LOCK_TAKEN(address) ((void)(address))
#define KERNEL_LOCK_GIVEN(address) ((void)(address))
#endif

#endif
