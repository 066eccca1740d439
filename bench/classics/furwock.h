/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_FURWOCK_H
#define FW_CLASSICS_FURWOCK_H

#include "futex.h"

/*
 * furwock: the fast userspace read-write lock, from two futexes and a count.
 *
 * From: Paul Mackerras, as told by Franke, Russell and Kirkwood, "Fuss, Futexes and Furwocks"
 * (OLS 2002), section 3.1.2: "Paul Mackerras suggested a design for creating read/write lock in
 * userspace by using two futexes and a count: fast userspace read/write locks, or furwocks."
 * Section 4.1 measures them (Figure 6).  The paper prints no code.
 *
 *   entry     a futex: held by a writer until it unlocks, and by a reader while it comes in
 *   count     readers inside, less one where a writer has counted itself
 *   drained   a futex that is born taken: the last reader frees it for the writer that waits
 *
 *   entry  count, signed   meaning                         left by
 *   free   0               free                            reader: entry held;  writer: entry held
 *   free   n > 0           n readers inside                reader leaves: n-1
 *   held   n >= 0          n readers inside; a reader is   reader: n+1, entry free;  writer: n-1
 *                          coming in, or a writer has
 *                          only just come
 *   held   n >= 0,         a writer waits for the n+1      reader leaves: n-1; the one that gets to
 *          counted         readers that were there         -1 frees `drained`
 *   held   -1              the writer is inside            writer: count 0, entry free
 *
 *   Illegal: a free `drained` that no writer is going to take; a reader that counts itself in
 *            while a writer has the entry.
 *
 * Known from the paper: two futexes and a count, all in user space, on the futexes of section
 *   3.1.1 (down and up of a semaphore, classics/futex.h); no compare-and-exchange, which the paper
 *   holds against ulocks.
 * Reconstructed: what the two futexes and the count are for.  Three things speak for this reading:
 *   it needs no more than that, and every step is a down, an up, or an increment or decrement that
 *   is tested; a writer excludes newcomers by the very futex by which writers exclude each other;
 *   and the readers pay for it what Figure 6 shows.  There furwocks lose only where all tasks read,
 *   by 2 to 3 %: here a reader executes four atomic instructions (down, count, up; count) where
 *   that of a shared ulock executes two.
 * Adapted: the tries are additions.  A try to read also fails while another reader is at the entry.
 *
 * Why it is right.  Readers count themselves in only with the entry held, so while a writer has it
 * the count only falls.  The writer takes one away: where -1 is left, nobody is inside, and nobody
 * comes.  Otherwise exactly one decrement will reach -1, that of the last reader, which ups
 * `drained` once; the writer downs it once.  Without a counted writer the count does not get below
 * 0, so there is no other up.  An up before the down is kept, as in any semaphore.
 *
 *     reader                          writer
 *                                     entry down; count 1 -> 0: somebody is inside
 *     count 0 -> -1: up drained
 *                                     down drained: at once; or it slept, and was woken
 *
 * Weaknesses: the entry is greedy, so nobody is promised a turn: neither readers nor writers starve
 * by design, and both may by chance.  A second read while a writer waits for the
 * first deadlocks.  A task that is killed inside, or at the entry, takes the lock with it.
 */
typedef struct classic_furwock {
    classic_futex entry;
    uint32_t count;
    classic_futex drained;
} classic_furwock;

#define CLASSIC_FURWOCK_INIT            \
    {                                   \
        CLASSIC_FUTEX_INIT, 0,          \
        {                               \
            FUTEX_TAKEN, CLASSIC_SHARED \
        }                               \
    }

#define FURWOCK_EMPTY 0u
#define FURWOCK_WRITER 0xffffffffu /* -1: the writer's one, and no reader */

static inline void classic_furwock_read_down(classic_furwock *l)
{
    classic_futex_down(&l->entry);
    sc_fetch_add(&l->count, 1); /* n -> n+1 */
    classic_futex_up(&l->entry);
}

static inline void classic_furwock_read_up(classic_furwock *l)
{
    if (sc_fetch_sub(&l->count, 1) - 1 == FURWOCK_WRITER) /* n -> n-1 */
        classic_futex_up(&l->drained);
}

static inline void classic_furwock_write_down(classic_furwock *l)
{
    classic_futex_down(&l->entry);
    if (sc_fetch_sub(&l->count, 1) - 1 != FURWOCK_WRITER) /* n -> n-1 */
        classic_futex_down(&l->drained);
}

static inline void classic_furwock_write_up(classic_furwock *l)
{
    sc_fetch_add(&l->count, 1); /* -1 -> 0 */
    classic_futex_up(&l->entry);
}

/* The tries: 0 or EBUSY. */
static inline int classic_furwock_read_trydown(classic_furwock *l)
{
    int error = classic_futex_trydown(&l->entry);
    if (error == 0) {
        sc_fetch_add(&l->count, 1); /* n -> n+1 */
        classic_futex_up(&l->entry);
    }
    return error;
}

static inline int classic_furwock_write_trydown(classic_furwock *l)
{
    int error = classic_futex_trydown(&l->entry);
    if (error != 0)
        return error;
    if (sc_load(&l->count) != FURWOCK_EMPTY) {
        classic_futex_up(&l->entry);
        return EBUSY;
    }
    sc_fetch_sub(&l->count, 1); /* 0 -> -1: with the entry held, no reader comes in between */
    return 0;
}

#endif
