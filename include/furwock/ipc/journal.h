/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_IPC_JOURNAL_H
#define FURWOCK_IPC_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/api.h>
#include <furwock/ipc/mutex.h>

FW_BEGIN_DECLS

/*
 * fw_ipc_journal: an undo journal.  Who changes several things that belong together notes their old
 * bytes first; if he dies over it, the next holder of the lock finds all of them as they were.
 *
 * Rules
 *  - It lies in the region whose data it covers (furwock/ipc/region.h), aligned to 8 bytes, in
 *    zeroed memory.  What is recorded may lie anywhere among the objects of that region, but not in
 *    the journal itself, nor in the lock to which it is attached.
 *  - Record data only: old bytes of a lock or any other object of this library, put back, would
 *    say that it is held by who died, or free while somebody has it.
 *  - A journal is used by one thread at a time: the holder of the lock to which it is attached.
 *  - Record first, then change; what was recorded may be changed as often as one likes.
 *  - A journal that is attached to a mutex is committed by every unlock (a condition variable's
 *    wait, too).  When the holder has died instead, the next lock undoes what was recorded,
 *    and answers 0: the data are sound, and the change has not happened.
 *  - It is attached to one lock at a time.  Detach it before either's memory is used for something
 *    else; a lock that was made anew in the same place takes it again.
 *  - Who is killed within any of these calls leaves a journal that can be undone; so does who is
 *    killed while he undoes one.
 *  - Aligned words of eight bytes are put back in one piece: they may be read without the lock.
 *  - Nothing is written to a disk: it helps when a process dies, not when the machine does.
 *  - Calls neither wait nor make system calls, but for a thread's first one in the region.  Not for
 *    signal handlers.
 *
 * fw_region_mutex_with_journal (furwock/ipc/named.h) makes a mutex that has its journal from the
 * first: then nobody needs to attach it.
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
    uint64_t used_;     /* bytes of records that are there: internal, doc/design/crash-safety.md */
    uint64_t capacity_; /* bytes of records that there is room for; they follow */
    uint64_t owner_;    /* the lock to which it is attached */
} fw_ipc_journal;

/* What a record of n bytes takes. */
#define FW_IPC_JOURNAL_RECORD(n) (((n) + 7u) / 8u * 8u + 16u)

/* The bytes of a journal with room for records of so many bytes altogether. */
static inline size_t fw_ipc_journal_size(size_t capacity)
{
    return sizeof(fw_ipc_journal) + (capacity + 7) / 8 * 8;
}

/*
 * Makes zeroed memory an empty journal, of fw_ipc_journal_size(capacity) bytes.  One that is there
 * already, with the same capacity, stays as it is: each process may call this when it begins.
 *   0
 *   EBUSY    there is one with another capacity
 *   EINVAL   it does not lie in a region (nor all of it), is misaligned, or capacity is 0
 *   EAGAIN   the region has no line left for another thread
 */
FW_API int fw_ipc_journal_init(fw_ipc_journal *j, size_t capacity);

/*
 * Notes n bytes from p on, which are about to be changed.
 *   0
 *   ENOSPC   there is no room: nothing was noted, so they must not be changed.  (What was changed
 *            before can be undone, or committed.)
 *   EINVAL   n is 0, or they do not lie among the objects of the journal's region, or some of them
 *            belong to the journal or to the lock to which it is attached
 *   EUCLEAN  the journal has been written over, or was never made
 *   EAGAIN   as above
 */
FW_API int fw_ipc_journal_record(fw_ipc_journal *j, const void *p, size_t n);

/*
 * Puts all back that was noted since the last commit, in reverse order.
 *   0, EINVAL, EUCLEAN, EAGAIN as above
 */
FW_API int fw_ipc_journal_undo(fw_ipc_journal *j);

/* From here on the changes stay: empties the journal.  0, EINVAL, EUCLEAN, EAGAIN. */
FW_API int fw_ipc_journal_commit(fw_ipc_journal *j);

/*
 * Attaches the journal to a mutex, which the caller holds, in the same region; NULL: it has none
 * any more.  The same one again changes nothing.
 *   0
 *   EPERM    the caller does not hold the mutex
 *   EBUSY    the one that it has now is not empty; or the journal is not, or is attached to another
 *            lock.  Nothing was changed
 *   EINVAL   also: the journal and the mutex overlap
 *   EINVAL, EUCLEAN, EAGAIN as above
 * Who dies within this call leaves the mutex with the journal or without one; where it is without,
 * the next lock answers EOWNERDEAD.
 */
FW_API int fw_ipc_mutex_journal(fw_ipc_mutex *m, fw_ipc_journal *j);

FW_END_DECLS

#endif
