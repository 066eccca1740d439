/* SPDX-License-Identifier: MIT */
#ifndef FW_CORE_INBOX_H
#define FW_CORE_INBOX_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/await.h>

#include "core/bucket_lock.h"
#include "core/operation.h"
#include "core/operation_list.h"

/*
 * The inbox of a loop: operations that were granted and are not delivered yet, first come, first
 * served.  Its lock is the innermost: it is taken inside the bucket of the object that is released.
 *
 * sleeps  is_kicked  meaning                              left by
 * ------  ---------  -----------------------------------  --------------------------------------
 * no      no         the loop runs, or looks by itself    its thread, when it stops to look: sleeps
 * yes     no         nobody looks, the inbox is empty     a grant: is_kicked, and writes afterwards
 * any     yes        the descriptor is readable, or will  its thread, once it has read it
 *                    be
 *
 * IN1  While the loop sleeps and the inbox is not empty, is_kicked is set.
 * IN2  A grant is counted in `kickers` until it has left the lock, and one that sets is_kicked
 *      until it has written.  The inbox, its lock and its descriptor are freed when that is 0, and
 *      nothing can be granted to the loop any more.
 */
struct fw_inbox_ {
    struct fw_bucket_lock_ lock;
    struct fw_operation_list_ list;
    uint32_t n;
    uint32_t kickers;
    int event; /* its descriptor */
    bool sleeps, is_kicked;
};

/* Appends an operation, in its new state; returns what is to be called when all locks were left. */
struct fw_wakeup_ fw_inbox_put_(struct fw_inbox_ *in, fw_await *op, uint32_t state);

static inline bool fw_inbox_is_empty_(const struct fw_inbox_ *in)
{
    return fw_load32_acquire(&in->n) == 0;
}

/* Takes the first; NULL: it is empty. */
fw_await *fw_inbox_take_(struct fw_inbox_ *in);

/* Takes out an operation that is in it. */
void fw_inbox_remove_(struct fw_inbox_ *in, fw_await *op);

/* For the loop's thread: is there anything for fw_inbox_awake_ to do? */
static inline bool fw_inbox_is_asleep_(const struct fw_inbox_ *in)
{
    return in->sleeps || __atomic_load_n(&in->is_kicked, __ATOMIC_RELAXED);
}

/* The loop's thread looks by itself from now on. */
void fw_inbox_awake_(struct fw_inbox_ *in);

/* It does not any more: makes the descriptor readable if there is something to do, now or later. */
void fw_inbox_sleeps_(struct fw_inbox_ *in);

/* Any thread: makes the descriptor readable if the loop sleeps. */
void fw_inbox_kick_(struct fw_inbox_ *in);

/* Waits until all that kick have done so.  Nothing can be granted any more. */
void fw_inbox_end_(struct fw_inbox_ *in);

#endif
