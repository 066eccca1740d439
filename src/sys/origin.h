/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_ORIGIN_H
#define FW_SYS_ORIGIN_H

#include <stdint.h>

/*
 * Where and when the calling process runs, as far as shared memory must know it.  None of these
 * touches errno.
 */

/* The pid namespace, in which thread ids have a meaning; 0 where it cannot be told (no /proc). */
uint64_t fw_pid_namespace_(void);

/* A number for the time since the machine was started; 0 where it cannot be told. */
uint64_t fw_boot_(void);

/* The process of the calling thread. */
uint32_t fw_process_id_(void);

/*
 * When the thread of that id was started, in clock ticks since the machine was: with the id, a name
 * that no other thread gets.  In the caller's pid namespace; 0 where it cannot be told.
 */
uint64_t fw_thread_started_(uint32_t thread);

/* FNV-1a of n bytes, going on from `hash`: a check for accidents, not for malice. */
#define FW_HASH_START_ UINT64_C(0xcbf29ce484222325)
static inline uint64_t fw_hash_(uint64_t hash, const void *bytes, unsigned n)
{
    for (const unsigned char *p = (const unsigned char *)bytes; n != 0; n--)
        hash = (hash ^ *p++) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
