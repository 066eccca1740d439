/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_THREAD_H
#define FW_SYS_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/self.h>

/*
 * What the number in an identity says (its upper 24 bits, of which the first is always 0):
 *
 *   1 .. 2^22 - 1          a thread: its kernel id
 *   2^22                   a thread of a forked child: the alias of a kernel id
 *   2^22 + 1 .. 2^23 - 1   a task (furwock/await.h), for which any thread may act
 *
 * A forked child's thread keeps the identity that it had in the parent (its locks carry it).  A new
 * thread of the child whose kernel id equals that inherited one is given the alias instead.  One is
 * enough: a kernel id has one thread at a time, and a child that inherits the alias itself needs no
 * other, since no kernel id equals it.
 */
#define FW_ID_ALIAS (UINT32_C(1) << 22)
#define FW_ID_NUMBER_MAX ((UINT32_C(1) << 23) - 1)

/* The kernel id that the alias stands for, or stood for in an ancestor that had one. */
extern uint32_t fw_aliased_number_;

/* The kernel thread id in an identity; 0: it has none, or is a task's. */
static inline int fw_id_number_(uint32_t id)
{
    uint32_t number = id >> FW_ID_SHIFT;

    if (number == FW_ID_ALIAS)
        number = fw_aliased_number_;
    return number < FW_ID_ALIAS ? (int)number : 0;
}

static inline bool fw_id_is_task_(uint32_t id)
{
    return id >> FW_ID_SHIFT > FW_ID_ALIAS && id >> FW_ID_SHIFT <= FW_ID_NUMBER_MAX &&
           (id & ((1u << FW_ID_SHIFT) - 1)) == FW_ID_HELD;
}

/* Other models may allocate at a thread's first access, which an unlock must not do. */
#define FW_STATIC_TLS __thread __attribute__((tls_model("initial-exec")))

/*
 * The calling thread acts as the task of this identity from now on, that is, fw_self_ returns it;
 * 0: as itself.  Returns what it has acted as.  Safe in signal handlers that undo it.
 */
uint32_t fw_act_as_(uint32_t task);

/* The identity of the calling thread itself, whatever it acts as. */
uint32_t fw_thread_self_(void);

/* The same, but 0 where nobody has asked for it so far. */
uint32_t fw_thread_known_(void);

/*
 * Can the thread that had this identity when the generation was that number be in this process?
 * Only those of the present generation, and the thread that called the last fork, or the task as
 * which it acted.
 */
bool fw_is_here_(uint32_t id, uint32_t generation);

#endif
