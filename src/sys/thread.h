/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_THREAD_H
#define FW_SYS_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/self.h>

/*
 * A forked child's thread keeps the identity that it had in the parent (its locks carry it).  A new
 * thread of the child whose kernel id equals that inherited one is given an alias: this bit of the
 * number is set.  Kernel thread ids are below 2^22.
 */
#define FW_ID_ALIAS (UINT32_C(1) << 22)

/* The kernel thread id in an identity. */
static inline int fw_id_number_(uint32_t id)
{
    return (int)(id >> FW_ID_SHIFT & ~FW_ID_ALIAS);
}

/* Other models may allocate at a thread's first access, which an unlock must not do. */
#define FW_STATIC_TLS __thread __attribute__((tls_model("initial-exec")))

/*
 * Can the thread that had this identity when the generation was that number be in this process?
 * Only those of the present generation, and the thread that called the last fork.
 */
bool fw_is_here_(uint32_t id, uint32_t generation);

#endif
