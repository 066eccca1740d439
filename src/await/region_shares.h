/* SPDX-License-Identifier: MIT */
#ifndef FW_AWAIT_REGION_SHARES_H
#define FW_AWAIT_REGION_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/await.h>

#include "await/region.h"
#include "ipc/rwlock_task.h"

/*
 * What tasks of this process hold of the read-write locks of regions, and wait for: a table in the
 * process's own memory, beside the watches (AWI4), with an entry for each lock that matters to any
 * task.  To others all of them are one writer or one reader: RWT1 to RWT3.
 *
 *   SHT1  An entry exists while operations wait for the lock (`asking`), tasks read it, or one
 *         writes.  It is changed in the lock of its bucket.
 *   SHT2  `readers` is the number of read locks of tasks; if it is not 0, `records.held` is HELD.
 *   SHT3  `closing`: the word is id|DRAINING for this operation, the first of its queue.  Only its
 *         loop's thread changes that, and any thread may ask whether it is an operation of its own.
 *   SHT4  An operation that waits to read is let in by whichever loop comes first, and then has no
 *         hold of its own (kept_) any more: its loop looks at that only inside, while it is queued.
 */
struct fw_share_hold_; /* the read locks of one task */

enum { FW_SHARE_HOLDS_ = 64 };

struct fw_shares_ {
    struct fw_shares_ *next; /* in its bucket */
    fw_ipc_rwlock *lock;
    struct fw_rw_records_ records;
    fw_task writer; /* 0: none */
    fw_await *closing;
    uint32_t readers;                              /* SHT2 */
    uint32_t asking;                               /* operations that wait, or are about to */
    uint32_t reading;                              /* those of them that want to read */
    struct fw_share_hold_ *holds[FW_SHARE_HOLDS_]; /* by the task's number */
};

/* The entry of the lock, made if need be, and one more that asks; NULL: there is no memory. */
struct fw_shares_ *fw_shares_ask_(fw_ipc_rwlock *l, const struct fw_ipc_mapping_ *mapping,
                                  bool to_read);

/* For the read lock of a task, before it waits for one; NULL: there is no memory. */
struct fw_share_hold_ *fw_share_hold_new_(struct fw_shares_ *s, fw_task task);
void fw_share_hold_free_(struct fw_share_hold_ *h);
struct fw_shares_ *fw_share_hold_of_(const struct fw_share_hold_ *h);

/*
 * Inside.  The entry of the lock for which an operation asks to read; NULL: it was queued, and is
 * so no more (SHT4).
 */
struct fw_shares_ *fw_shares_asked_by_(const fw_await *op, bool was_queued);

/* Inside.  The entry of the lock, or NULL. */
struct fw_shares_ *fw_shares_of_(const struct fw_region_bucket_ *b, const void *lock);

/* SHT3 */
static inline bool fw_shares_is_closing_(struct fw_shares_ *s, const fw_await *op)
{
    return __atomic_load_n(&s->closing, __ATOMIC_RELAXED) == op;
}

static inline void fw_shares_set_closing_(struct fw_shares_ *s, fw_await *op)
{
    __atomic_store_n(&s->closing, op, __ATOMIC_RELAXED);
}

/* Inside.  The task reads already: one read lock more.  False: it does not. */
bool fw_shares_again_(struct fw_shares_ *s, fw_task task);

/* Does the task read, write? */
bool fw_shares_reads_(const void *lock, fw_task task);
bool fw_shares_writes_(const void *lock, fw_task task);

/*
 * Inside.  `held` is a HELD record: an operation that is not queued comes in; all come in that are,
 * in any loop, since they have waited for the same phase (and the bucket is left).
 */
void fw_shares_come_in_(struct fw_shares_ *s, fw_await *op);
void fw_shares_let_in_(struct fw_region_bucket_ *b, struct fw_shares_ *s);

/* One asks no longer.  After the last that wanted to read, no record of this process waits. */
void fw_shares_asked_(struct fw_shares_ *s, bool to_read);

/* The task gives a read lock back.  0, EPERM. */
int fw_shares_leave_(fw_ipc_rwlock *l, fw_task task);

/* The task writes no longer, and the word will say so.  EPERM: it did not. */
int fw_shares_stop_writing_(fw_ipc_rwlock *l, fw_task task);

#endif
