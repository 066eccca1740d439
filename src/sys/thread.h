/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_THREAD_H
#define FW_SYS_THREAD_H

#include <stdint.h>

/*
 * Who am I?  The identity of a thread is its kernel thread id, shifted left by 8, with 1 in the lowest
 * byte: a word whose lowest byte says "held" and whose upper 24 bits say by whom.
 *
 * A forked child's thread keeps the identity that it had in the parent (its locks carry it); a new
 * thread of the child whose kernel id equals that inherited one is given another (bit 22 of the
 * number is set; kernel thread ids are below 2^22).
 */
#define FW_ID_SHIFT 8u
#define FW_ID_HELD 1u
#define FW_ID_ALIAS (UINT32_C(1) << 22) /* in the number */

/* The calling thread's identity, 0 until fw_self_init_() ran in this thread. */
extern __thread uint32_t fw_self_id_ __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Finds out and remembers the calling thread's identity; returns it.  Never 0. */
uint32_t fw_self_init_(void);

static inline uint32_t fw_self_(void)
{
    uint32_t id = fw_self_id_;
    return __builtin_expect(id != 0, 1) ? id : fw_self_init_();
}

/* The kernel thread id in an identity. */
static inline int fw_id_number_(uint32_t id)
{
    return (int)(id >> FW_ID_SHIFT & ~FW_ID_ALIAS);
}

/* How many forks lie between this process and the one that loaded the library, modulo 32. */
uint32_t fw_fork_generation_(void);

/* A number that differs from call to call, across all threads, until 2^23 calls were made. */
uint32_t fw_serial_(void);

#endif
