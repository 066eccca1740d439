/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_ULOCK_SHARED_H
#define FW_CLASSICS_ULOCK_SHARED_H

#include "ksem.h"
#include "word.h"

/*
 * ulock-shared: the multiple reader/single writer lock of the ulocks prototype.
 *
 * From: Franke, Russell and Kirkwood, "Fuss, Futexes and Furwocks" (OLS 2002), section 3: "the lock
 * word is split into three fields: write locked (1 bit), writes waiting (15 bits), readers (16
 * bits).  If write locked, the readers indicate the number of tasks waiting to read the lock, if
 * not write locked, it indicates the numbers of tasks that have acquired read access to the lock.
 * Writers are blocking on a first kernel wait queue, while readers are blocking on a second kernel
 * wait queue associated with a ulock."
 *
 *   bit 31       W   write locked
 *   bits 16-30   w   writers that wait
 *   bits 0-15    r   readers: waiting where W is set, else inside
 *
 *   word       meaning                          left by
 *   0          free                             reader: r=1;  writer: W
 *   r          r readers inside                 reader: r+1;  leaving: r-1;  writer: w=1, and waits
 *   r, w       the same, w writers wait         reader: r+1;  writer: w+1;  leaving: r-1, w; the
 *                                               last: W, w-1, and one writer is woken, as owner
 *   W, w, r    a writer inside, w and r wait    reader: r+1;  writer: w+1;  unlock, r > 0: the
 *                                               same without W, and r readers are woken, as owners;
 *                                               unlock, r = 0 < w: W, w-1, and one writer is woken;
 *                                               unlock, r = w = 0: 0
 *
 *   Illegal: w > 0 with neither W nor r: nobody would wake them.
 *
 * Faithful: the fields and their sizes, what they count, the two queues (ksem.h), the number of
 * tasks that is passed along with a wake, compare-and-exchange; the kernel never looks at the word.
 * Reconstructed: who is next, of which the paper says nothing.  The word leaves little choice.  It
 *   has no room for readers that wait while others read, so a reader comes in whenever no writer is
 *   inside, past all writers that wait.  When a writer unlocks, clearing one bit makes owners of
 *   all readers that wait, so they go first.  And whoever wakes a writer makes it the owner, as
 *   ulock_fair.h does: whoever comes back from the kernel has the lock.
 * Adapted: trylock is an addition.
 *
 * No wake is lost: whoever is going to sleep has counted itself in the word before, and whoever
 * takes it out of the count gives its queue one unit, which waits there until it comes.
 *
 * Weaknesses: writers starve while readers overlap; 65535 readers or 32767 waiting writers at
 * most; a task that is killed while it waits stays in the count, and may be made the owner; unlock
 * looks at a queue after others were let in, so the memory must not be freed at once.
 */
typedef struct classic_ulock_shared {
    uint32_t word;
    classic_ksem writers;
    classic_ksem readers;
} classic_ulock_shared;

#define CLASSIC_ULOCK_SHARED_INIT \
    {                             \
        0, {0, CLASSIC_SHARED},   \
        {                         \
            0, CLASSIC_SHARED     \
        }                         \
    }

#define ULOCK_SHARED_READER 1u       /* one in bits 0-15 */
#define ULOCK_SHARED_WRITER 0x10000u /* one that waits, in bits 16-30 */
#define ULOCK_SHARED_WRITTEN 0x80000000u

static inline bool ulock_shared_is_written(uint32_t word)
{
    return (word & ULOCK_SHARED_WRITTEN) != 0;
}

static inline uint32_t ulock_shared_readers(uint32_t word)
{
    return word & (ULOCK_SHARED_WRITER - 1);
}

static inline bool ulock_shared_has_writers(uint32_t word)
{
    return (word & ~ULOCK_SHARED_WRITTEN) >= ULOCK_SHARED_WRITER;
}

void classic_ulock_shared_rdlock_slow_(classic_ulock_shared *l, uint32_t word);
void classic_ulock_shared_rdunlock_slow_(classic_ulock_shared *l, uint32_t word);
void classic_ulock_shared_wrlock_slow_(classic_ulock_shared *l, uint32_t word);
void classic_ulock_shared_wrunlock_slow_(classic_ulock_shared *l, uint32_t word);

/* Comes in to read where no writer is inside: 0 or EBUSY. */
static inline int classic_ulock_shared_tryrdlock(classic_ulock_shared *l)
{
    uint32_t word = sc_load(&l->word);
    while (!ulock_shared_is_written(word))
        if (sc_cas(&l->word, &word, word + ULOCK_SHARED_READER)) /* r, w -> r+1, w */
            return 0;
    return EBUSY;
}

static inline void classic_ulock_shared_rdlock(classic_ulock_shared *l)
{
    uint32_t word = 0;
    if (!sc_cas(&l->word, &word, ULOCK_SHARED_READER)) /* 0 -> r=1 */
        classic_ulock_shared_rdlock_slow_(l, word);
}

static inline void classic_ulock_shared_rdunlock(classic_ulock_shared *l)
{
    uint32_t word = ULOCK_SHARED_READER;
    if (!sc_cas(&l->word, &word, 0)) /* r=1 -> 0 */
        classic_ulock_shared_rdunlock_slow_(l, word);
}

/* Takes the lock to write if it is free: 0 or EBUSY. */
static inline int classic_ulock_shared_trywrlock(classic_ulock_shared *l)
{
    uint32_t word = 0;
    return sc_cas(&l->word, &word, ULOCK_SHARED_WRITTEN) ? 0 : EBUSY; /* 0 -> W */
}

static inline void classic_ulock_shared_wrlock(classic_ulock_shared *l)
{
    uint32_t word = 0;
    if (!sc_cas(&l->word, &word, ULOCK_SHARED_WRITTEN)) /* 0 -> W */
        classic_ulock_shared_wrlock_slow_(l, word);
}

static inline void classic_ulock_shared_wrunlock(classic_ulock_shared *l)
{
    uint32_t word = ULOCK_SHARED_WRITTEN;
    if (!sc_cas(&l->word, &word, 0)) /* W -> 0 */
        classic_ulock_shared_wrunlock_slow_(l, word);
}

#endif
