/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_ORIGIN_H
#define FW_SYS_ORIGIN_H

#include <stdbool.h>
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

/* The calling thread, by its kernel id; a system call, unlike fw_self_id. */
uint32_t fw_thread_id_(void);

/*
 * What /proc says about the thread of that id, in the caller's pid namespace.  False: there is no
 * such thread; or it cannot be told, since there is no /proc, or one of another pid namespace.
 */
struct fw_thread_about_ {
    bool is_dead;     /* and not yet waited for */
    uint64_t started; /* when, as the caller's time namespace has it; 0: not known */
};
bool fw_thread_about_(uint32_t thread, struct fw_thread_about_ *about);

/*
 * Are these the starts of two threads, perhaps of the same id?  False where that is not sure: seen
 * from different time namespaces, or not known.
 */
bool fw_is_another_start_(uint64_t a, uint64_t b);

/*
 * No thread that runs now was started later than this, in the same terms: 0: not known.  One system
 * call and no file, unlike what /proc says of a thread.
 */
uint64_t fw_start_now_(void);

/* Was the thread that started at `started` started after `since`?  False: not sure, as above. */
bool fw_is_later_start_(uint64_t started, uint64_t since);

/* FNV-1a of n bytes, going on from `hash`: a check for accidents, not for malice. */
#define FW_HASH_START_ UINT64_C(0xcbf29ce484222325)
static inline uint64_t fw_hash_(uint64_t hash, const void *bytes, unsigned n)
{
    for (const unsigned char *p = (const unsigned char *)bytes; n != 0; n--)
        hash = (hash ^ *p++) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
