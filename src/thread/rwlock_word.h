/* SPDX-License-Identifier: MIT */
#ifndef FW_RWLOCK_WORD_H
#define FW_RWLOCK_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>
#include <furwock/rwlock.h>

#include <rwlock_kind.h>

#include "sys/thread.h"

/*
 * The bits of fw_rwlock, and what they say.  The table of states is in rwlock.c.
 *
 *   bit   63 .. 32     31 .. 8   7, 6   5       4       3        2       1           0
 *         owner half   readers          COMING  WAKING  WAITERS  CLOSED  UPGRADABLE  WRITER
 *
 *   owner half   with WRITER or UPGRADABLE: the identity of that thread
 *                else, with readers: the identity of one of them, or 0 (not known)
 *                else 0
 */
typedef uint64_t fw_rw_word_;

#define RW_WRITER UINT64_C(1)
#define RW_UPGRADABLE UINT64_C(2)
#define RW_CLOSED UINT64_C(4)  /* new readers have to wait, though no writer holds the lock */
#define RW_WAITERS UINT64_C(8) /* a release enters the bucket */
#define RW_WAKING UINT64_C(16) /* a release need not: a queued writer is awake */
#define RW_COMING UINT64_C(32) /* greedy: readers were admitted that have not run since */
#define RW_QUEUE_FLAGS (RW_CLOSED | RW_WAITERS | RW_WAKING | RW_COMING)
#define RW_READER UINT64_C(0x100)
#define RW_READERS UINT64_C(0xffffff00)
#define RW_OWNER_SHIFT 32
#define RW_OWNER_HALF (UINT64_C(0xffffffff) << RW_OWNER_SHIFT)

_Static_assert(RW_READER == FW_RWLOCK_READ_ && RW_WRITER == FW_RWLOCK_WRITE_,
               "the header's fast paths use the same bits");

static inline uint32_t rw_owner(fw_rw_word_ w)
{
    return (uint32_t)(w >> RW_OWNER_SHIFT);
}

static inline bool rw_has_writer(fw_rw_word_ w)
{
    return (w & RW_WRITER) != 0;
}

static inline bool rw_has_upgradable(fw_rw_word_ w)
{
    return (w & RW_UPGRADABLE) != 0;
}

static inline bool rw_has_readers(fw_rw_word_ w)
{
    return (w & RW_READERS) != 0;
}

static inline bool rw_has_one_reader(fw_rw_word_ w)
{
    return (w & RW_READERS) == RW_READER;
}

static inline bool rw_is_full(fw_rw_word_ w)
{
    return (w & RW_READERS) == RW_READERS;
}

/* Nobody holds it; threads may be queued. */
static inline bool rw_is_free(fw_rw_word_ w)
{
    return (w & (RW_WRITER | RW_UPGRADABLE | RW_READERS)) == 0; /* F:rw-past-readers */
}

/* Held by others than a writer, with whom a reader could be. */
static inline bool rw_is_shared(fw_rw_word_ w)
{
    return rw_has_readers(w) || rw_has_upgradable(w);
}

static inline bool rw_lets_readers_in(fw_rw_word_ w)
{
    return (w & (RW_WRITER | RW_CLOSED)) == 0; /* F:rw-past-closed */
}

static inline bool rw_lets_upgradable_in(fw_rw_word_ w)
{
    return (w & (RW_WRITER | RW_CLOSED | RW_UPGRADABLE)) == 0; /* F:rw-past-upgradable */
}

static inline bool rw_has_waiters(fw_rw_word_ w)
{
    return (w & RW_WAITERS) != 0;
}

static inline bool rw_wake_is_under_way(fw_rw_word_ w)
{
    return (w & RW_WAKING) != 0;
}

/* The kernel's id of the writer that holds it; 0: there is none. */
static inline uint32_t rw_writer(fw_rw_word_ w)
{
    return rw_has_writer(w) ? (uint32_t)fw_id_number_(rw_owner(w)) : 0;
}

static inline fw_rw_word_ rw_with_owner(fw_rw_word_ w, uint32_t id)
{
    return (w & ~RW_OWNER_HALF) | (fw_rw_word_)id << RW_OWNER_SHIFT;
}

/* One reader more; the first leaves its identity. */
static inline fw_rw_word_ rw_with_reader(fw_rw_word_ w, uint32_t id)
{
    return (rw_owner(w) == 0 ? rw_with_owner(w, id) : w) + RW_READER;
}

/* One reader less: it removes its identity, and the last removes any. */
static inline fw_rw_word_ rw_without_reader(fw_rw_word_ w, uint32_t id)
{
    w -= RW_READER;
    if (!rw_has_upgradable(w) && (!rw_has_readers(w) || rw_owner(w) == id))
        w = rw_with_owner(w, 0);
    return w;
}

static inline fw_rw_word_ rw_with_writer(fw_rw_word_ w, uint32_t id)
{
    return rw_with_owner(w, id) | RW_WRITER;
}

static inline fw_rw_word_ rw_without_writer(fw_rw_word_ w)
{
    return rw_with_owner(w, 0) & ~RW_WRITER;
}

static inline fw_rw_word_ rw_with_upgradable(fw_rw_word_ w, uint32_t id)
{
    return rw_with_owner(w, id) | RW_UPGRADABLE;
}

static inline fw_rw_word_ rw_without_upgradable(fw_rw_word_ w)
{
    return rw_with_owner(w, 0) & ~RW_UPGRADABLE;
}

/*
 * The second word: the kind, and what is queued.  The kind is constant, the rest is plain data,
 * read and written inside the bucket only.  Each count has room for more threads than a kernel has
 * (2^22), and for 2^24 - 1 operations.
 *
 *   bit   63 .... 40   39 .. 32   31 .... 8   7 .. 5    4       3         2       1 .. 0
 *         writers      coming     sharers             NEXT   UPGRADER   AWAKE     kind
 */
#define QUEUE_KIND UINT64_C(3)
#define QUEUE_AWAKE UINT64_C(4)    /* a queued writer is awake, or in a bounded sleep */
#define QUEUE_UPGRADER UINT64_C(8) /* the upgradable holder is queued */
#define QUEUE_NEXT UINT64_C(16)    /* greedy: the first writer has the turn after the readers */
#define QUEUE_SHARER UINT64_C(0x100)
#define QUEUE_SHARERS UINT64_C(0xffffff00)
#define QUEUE_COMING (UINT64_C(1) << 32) /* greedy: woken with a grant, not yet seen to run */
#define QUEUE_ALL_COMING (UINT64_C(0xff) << 32) /* at most this many are counted */
#define QUEUE_WRITER (UINT64_C(1) << 40)

static inline fw_rwlock_kind queue_kind(uint64_t queue)
{
    return fw_rwlock_kind_of_bits_(queue & QUEUE_KIND);
}

static inline bool queue_has_awake_writer(uint64_t queue)
{
    return (queue & QUEUE_AWAKE) != 0;
}

static inline bool queue_has_next(uint64_t queue)
{
    return (queue & QUEUE_NEXT) != 0;
}

static inline bool queue_has_coming(uint64_t queue)
{
    return (queue & QUEUE_ALL_COMING) != 0;
}

static inline bool queue_has_upgrader(uint64_t queue)
{
    return (queue & QUEUE_UPGRADER) != 0;
}

static inline bool queue_has_sharers(uint64_t queue)
{
    return (queue & QUEUE_SHARERS) != 0;
}

static inline bool queue_has_writers(uint64_t queue)
{
    return queue >= QUEUE_WRITER;
}

static inline bool queue_is_empty(uint64_t queue)
{
    return (queue & (QUEUE_SHARERS | QUEUE_UPGRADER)) == 0 && !queue_has_writers(queue);
}

#endif
