/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_IPC_JOURNAL_H
#define FURWOCK_IPC_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/api.h>
#include <furwock/ipc/mutex.h>

FW_BEGIN_DECLS

/*
 * fw_ipc_journal: an undo journal.  Record the old contents before a multi-step update; if the
 * process dies half-way, the next owner of the lock finds the data as they were before.
 *
 * Rules
 *  - It lies in the region whose data it covers (furwock/ipc/region.h), aligned to 8 bytes, in
 *    zeroed memory.  What is recorded may lie anywhere among the objects of that region, except in
 *    the journal itself and in the lock to which it is attached.
 *  - Record data only: the old contents of a lock or any other object of this library, restored,
 *    would say that it is held by a dead thread, or free while it is held.
 *  - A journal is used by one thread at a time: the owner of the lock to which it is attached.
 *  - Record first, then change; what was recorded may be changed any number of times.
 *  - A journal that is attached to a mutex is committed by every unlock (a condition variable's
 *    wait, too).  If the owner has died instead, the next lock call undoes what was recorded, and
 *    returns 0: the data are consistent, and the update has not happened.
 *  - It is attached to one lock at a time.  Detach it before the memory of either is reused; a lock
 *    that is initialised again at the same address accepts it again.
 *  - A thread that is killed in any of these calls, undo included, leaves a journal that can be
 *    undone.
 *  - Aligned words of eight bytes are restored in one piece: they may be read without the lock.
 *  - Nothing is written to disk: it protects against the death of a process, not of the machine.
 *  - Calls neither wait nor make system calls, except a thread's first one in the region.  Not for
 *    signal handlers.
 *
 * fw_region_mutex_with_journal (furwock/ipc/named.h) makes a mutex with its journal already
 * attached.
 *
 * Example: money is neither made nor lost
 *
 *     struct bank {
 *         fw_ipc_mutex lock;
 *         long account[10];
 *     };
 *
 *     enum { JOURNAL = 2 * FW_IPC_JOURNAL_RECORD(sizeof(long)) };
 *
 *     int bank_open(struct bank *b, fw_ipc_journal *j)
 *     {
 *         int error = fw_ipc_journal_init(j, JOURNAL);
 *         if (error == 0)
 *             error = fw_ipc_mutex_lock(&b->lock);
 *         if (error == EOWNERDEAD) // who died had not attached it, and changed nothing
 *             error = fw_ipc_mutex_consistent(&b->lock);
 *         if (error != 0)
 *             return error;
 *         error = fw_ipc_mutex_journal(&b->lock, j);
 *         fw_ipc_mutex_unlock(&b->lock);
 *         return error;
 *     }
 *
 *     int transfer(struct bank *b, fw_ipc_journal *j, int from, int to, long amount)
 *     {
 *         int error = fw_ipc_mutex_lock(&b->lock);
 *         if (error == EOWNERDEAD) // the journal has been overwritten: give the lock up
 *             fw_ipc_mutex_unlock(&b->lock);
 *         if (error != 0)
 *             return error;
 *         error = fw_ipc_journal_record(j, &b->account[from], sizeof(long));
 *         if (error == 0)
 *             error = fw_ipc_journal_record(j, &b->account[to], sizeof(long));
 *         if (error == 0) {
 *             b->account[from] -= amount;
 *             b->account[to] += amount;
 *         }
 *         fw_ipc_mutex_unlock(&b->lock);
 *         return error;
 *     }
 */
typedef struct fw_ipc_journal {
    uint64_t used_;     /* bytes of records present: internal, doc/design/crash-safety.md */
    uint64_t capacity_; /* bytes of space for records, which follow */
    uint64_t owner_;    /* the lock to which it is attached */
} fw_ipc_journal;

/* What a record of n bytes takes. */
#define FW_IPC_JOURNAL_RECORD(n) (((n) + 7u) / 8u * 8u + 16u)

/* The size of a journal with space for `capacity` bytes of records. */
FW_API size_t fw_ipc_journal_size(size_t capacity);

/*
 * Makes zeroed memory an empty journal, of fw_ipc_journal_size(capacity) bytes.  An existing one
 * with the same capacity stays as it is: each process may call this when it starts.
 *   0
 *   EBUSY    there is one with another capacity
 *   EINVAL   it does not lie in a region (nor all of it), is misaligned, or capacity is 0
 *   EAGAIN   the region has no participant slot left for another thread
 */
FW_API int fw_ipc_journal_init(fw_ipc_journal *j, size_t capacity);

/*
 * Records the n bytes at p, which are about to be changed.
 *   0
 *   ENOSPC   no space left: nothing was recorded, so they must not be changed.  (Earlier changes
 *            can be undone, or committed.)
 *   EINVAL   n is 0, or they do not lie among the objects of the journal's region, or some of them
 *            belong to the journal or to the lock to which it is attached
 *   EUCLEAN  the journal has been overwritten, or was never made
 *   EAGAIN   as above
 */
FW_API int fw_ipc_journal_record(fw_ipc_journal *j, const void *p, size_t n);

/*
 * Restores what was recorded since the last commit, in reverse order.  0, EINVAL, EUCLEAN, EAGAIN
 * as above
 */
FW_API int fw_ipc_journal_undo(fw_ipc_journal *j);

/* Makes the changes final: empties the journal. 0, EINVAL, EUCLEAN, EAGAIN. */
FW_API int fw_ipc_journal_commit(fw_ipc_journal *j);

/*
 * Attaches the journal to a mutex, which the caller holds, in the same region; NULL detaches it.
 * Attaching the same one again changes nothing.
 *   0
 *   EPERM    the caller does not hold the mutex
 *   EBUSY    the attached journal is not empty; or the new one is not, or is attached to another
 *            lock.  Nothing was changed
 *   EINVAL   also: the journal and the mutex overlap
 *   EINVAL, EUCLEAN, EAGAIN as above
 * If the caller dies in this call, the mutex has the journal or none; if it has none, the next lock
 * call returns EOWNERDEAD.
 */
FW_API int fw_ipc_mutex_journal(fw_ipc_mutex *m, fw_ipc_journal *j);

FW_END_DECLS

#endif
