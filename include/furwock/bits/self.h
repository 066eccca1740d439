/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_SELF_H
#define FURWOCK_BITS_SELF_H

#include <stdint.h>

#include <furwock/bits/api.h>

FW_BEGIN_DECLS

/*
 * Who am I?  Internal.  The identity of a thread is its kernel thread id, shifted left by 8, with 1
 * in the lowest byte: a word whose lowest byte says "held" and whose upper 24 bits say by whom.
 *
 * The variable is 0 until fw_self_init_() ran in the thread.  It is read in the fast path of every
 * lock, so it lives in the static TLS block, also where the library is loaded late.
 */
#define FW_ID_SHIFT 8u
#define FW_ID_HELD 1u

FW_API extern __thread uint32_t fw_self_id_ FW_ABI_NAME_(fw_self_id)
    __attribute__((tls_model("initial-exec")));

/* Finds out and remembers the calling thread's identity; returns it.  Never 0. */
FW_API uint32_t fw_self_init_(void) FW_ABI_NAME_(fw_self_init);

static inline uint32_t fw_self_(void)
{
    uint32_t id = fw_self_id_;
    return __builtin_expect(id != 0, 1) ? id : fw_self_init_();
}

FW_END_DECLS

#endif
