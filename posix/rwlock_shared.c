/* SPDX-License-Identifier: MIT */
/*
 * Process-shared read-write locks.  Contract: rwlock_shared.h.  Layout: rwlock.h.
 *
 * Origin: the counting read-write lock on a futex (Franke, Russell and Kirkwood, OLS 2002, section
 * 4.1, and the standard library of Rust), in one word of 64 bits, so that a release needs one
 * compare-and-swap and does not touch the lock after it.
 *
 *   bit   34               33               32       31 .... 0
 *         WRITERS_ASLEEP   READERS_ASLEEP   WRITER   readers
 *         `-------- futex of those who wait ------'
 *
 * mode     readers  WRITER  left by
 * -------  -------  ------  -----------------------------------------------------------------------
 * free     0        no      anybody: reads (+ 1), writes (WRITER)
 * read     n        no      anybody: reads too (+ 1; not in kind 2 where WRITERS_ASLEEP is set);
 *                           anybody: leaves (- 1)
 * written  0        yes     anybody: leaves
 *
 * READERS_ASLEEP, WRITERS_ASLEEP: some may sleep.  The release that makes the lock free clears
 * both, and then wakes: all readers, or else one writer; in kind 2 one writer, or else all readers.
 * Whoever has slept and gets the lock says again that others may sleep.
 *
 * Legal:   either flag while nobody of the kind sleeps (a needless wake; in kind 2, readers kept
 *          out until those inside have left).
 * Illegal: to sleep with an expected half in which one's own flag is not set, or which does not say
 *          why one waits; either flag in a free lock; a look at the lock after the compare-and-swap
 *          that has released it.
 *
 * PRW1  Whoever sleeps was told by the half with which it sleeps that the lock was held (or, a
 *       reader in kind 2, that a writer sleeps), and had its flag in it.  Readers change the other
 *       half, so they do not disturb.
 * PRW2  The release that finds a flag clears it before it wakes.  So whoever is about to sleep then
 *       does not; or the flag has been set again, for a hold that another release will end.
 * PRW3  Those whom a release has woken owe the others, of whom the flags no longer speak: each of
 *       them gets the lock and sets the flags, or sleeps again and sets them, or gives up and wakes
 *       all.  (It may be killed before that; then the others' intervals end.)
 */
#include "rwlock_shared.h"

#include <errno.h>
#include <stdbool.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>

#include "core/recheck.h"
#include "core/sleep.h"
#include "core/wait.h"
#include "foreign.h"
#include "sys/clock.h"
#include "sys/panic.h"
#include "sys/robust.h"

#define MAGIC UINT64_C(0x316b6c7277726677) /* "wfrwrlk1" */

#define READER UINT64_C(1)
#define READERS UINT64_C(0xffffffff)
#define READERS_MAX ((UINT32_C(1) << 28) - 1) /* the C library's limit */
#define WRITER (UINT64_C(1) << 32)
#define READERS_ASLEEP (UINT64_C(1) << 33)
#define WRITERS_ASLEEP (UINT64_C(1) << 34)
#define ASLEEP (READERS_ASLEEP | WRITERS_ASLEEP)

/* Which of the sleepers a wake is for. */
#define BIT_READERS 1u
#define BIT_WRITERS 2u

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lower half comes first");

typedef struct fw_posix_rwlock_ lock;

static bool is_written(uint64_t w)
{
    return (w & WRITER) != 0;
}

static uint32_t readers(uint64_t w)
{
    return (uint32_t)(w & READERS);
}

static bool is_free(uint64_t w)
{
    return (w & (WRITER | READERS)) == 0; /* F:prw-past-readers */
}

static bool prefers_writers(const lock *l)
{
    return l->kind == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

static bool lets_readers_in(const lock *l, uint64_t w)
{
    /* F:prw-past-writer */
    return !is_written(w) && ((w & WRITERS_ASLEEP) == 0 || !prefers_writers(l));
}

static const uint32_t *half_of(const lock *l)
{
    return (const uint32_t *)&l->word + 1;
}

static void check(const lock *l)
{
    if (l->magic != MAGIC)
        fw_posix_foreign_("process-shared read-write lock", l);
}

void fw_rwlock_shared_init_(lock *l)
{
    l->magic = MAGIC;
    l->shared = 1;
    l->lock.state_ = FW_POSIX_RWLOCK_ELSEWHERE_;
}

/* Entering.  `debt`: flags that the caller owes (PRW3). */

/* n readers -> n + 1 readers */
static int try_read(lock *l, uint64_t debt)
{
    uint64_t w = fw_load64_relaxed(&l->word);

    while (lets_readers_in(l, w)) {
        if (readers(w) == READERS_MAX)
            return EAGAIN;
        if (fw_cas64_acquire(&l->word, &w, (w + READER) | debt))
            return 0;
    }
    return EBUSY;
}

/* free -> WRITER */
static int try_write(lock *l, uint64_t debt)
{
    uint64_t w = fw_load64_relaxed(&l->word);

    while (is_free(w))
        if (fw_cas64_acquire(&l->word, &w, w | WRITER | debt)) {
            fw_store32_relaxed(&l->writer, fw_robust_self_()); /* F:prw-no-name */
            return 0;
        }
    return EBUSY;
}

int fw_rwlock_shared_tryrdlock_(lock *l)
{
    check(l);
    return try_read(l, 0);
}

int fw_rwlock_shared_trywrlock_(lock *l)
{
    check(l);
    return try_write(l, 0);
}

/* Wakes those whose turn it is, by address only; `w` had the flags. */
static void wake_next(const uint32_t *half, uint64_t w, bool writers_first)
{
    int woken = 0;

    if (writers_first && (w & WRITERS_ASLEEP) != 0)
        woken = fw_futex_wake_bitset(half, 1, BIT_WRITERS, FW_FUTEX_SHARED);
    if (woken <= 0 && (w & READERS_ASLEEP) != 0) /* F:prw-no-reader */
        /* F:prw-one-reader */
        woken = fw_futex_wake_bitset(half, FW_FUTEX_ALL, BIT_READERS, FW_FUTEX_SHARED);
    if (woken <= 0 && !writers_first && (w & WRITERS_ASLEEP) != 0) /* F:prw-no-writer */
        fw_futex_wake_bitset(half, 1, BIT_WRITERS, FW_FUTEX_SHARED);
}

void fw_rwlock_shared_unlock_(lock *l)
{
    uint64_t w = fw_load64_relaxed(&l->word);
    bool writers_first = prefers_writers(l);
    uint64_t left;

    check(l);
    if (is_written(w))                     /* F:prw-leaves-name */
        fw_store32_relaxed(&l->writer, 0); /* F:prw-late-name */
    do {
        if (is_free(w))
            return;
        /* WRITER -> free; n readers -> n - 1 readers */
        left = is_written(w) ? w & ~WRITER : w - READER;
        if (is_free(left) && (w & ASLEEP) != 0) /* PRW2 */
            /* F:prw-keeps-flags */
            left &= ~ASLEEP;
    } while (!fw_cas64_release(&l->word, &w, left));
    if (is_free(left) && (w & ASLEEP) != 0)      /* F:prw-wakes-nobody */
        wake_next(half_of(l), w, writers_first); /* F:prw-looks-after */
}

/* One that has slept gives up: all others look for themselves (PRW3). */
static void stir(lock *l)
{
    uint64_t w = fw_load64_relaxed(&l->word);

    while (!fw_cas64_relaxed(&l->word, &w, w & ~ASLEEP))
        ;
    fw_futex_wake(half_of(l), FW_FUTEX_ALL, FW_FUTEX_SHARED);
}

/* What one who has slept owes the others (PRW3).  In kind 2 readers are the last to be woken. */
static uint64_t debt_of(const lock *l, bool reads)
{
    if (!reads)
        return ASLEEP;                              /* F:prw-writers-owe-writers */
    return prefers_writers(l) ? 0 : WRITERS_ASLEEP; /* F:prw-readers-owe-nothing */
}

/* Looks until it is let in, or has spun for long enough.  0, ETIMEDOUT, EAGAIN; EBUSY: sleep. */
static int look(lock *l, bool reads, uint64_t debt, struct fw_wait_ *wait)
{
    int error;

    do {
        error = reads ? try_read(l, debt) : try_write(l, debt);
        if (error != EBUSY)
            return error;
    } while (fw_wait_spin_(wait));
    return fw_wait_is_over_(wait) ? ETIMEDOUT : EBUSY;
}

/* Sleeps, where the word says that it must, once it says that one does. */
static bool sleep_if_busy(lock *l, bool reads, struct fw_bounded_sleep_ *sleep)
{
    uint64_t flag = reads ? READERS_ASLEEP : WRITERS_ASLEEP;
    uint64_t w = fw_load64_relaxed(&l->word);

    if (reads ? lets_readers_in(l, w) : is_free(w)) /* F:prw-sleeps-blind */
        return false;
    if ((w & flag) == 0 && !fw_cas64_relaxed(&l->word, &w, w | flag)) /* PRW1 */
        return false;
    /* the caller looks at the clock  F:prw-unannounced */
    fw_sleep_bounded_(sleep, half_of(l), (uint32_t)((w | flag) >> 32),
                      reads ? BIT_READERS : BIT_WRITERS);
    return true;
}

static int wait_for(lock *l, bool reads, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    uint64_t debt = 0;
    struct fw_bounded_sleep_ sleep = {FW_FUTEX_SHARED, FW_RECHECK_POSIX_RWLOCK_NS, deadline};
    struct fw_wait_ wait;
    int error;

    fw_wait_begin_(&wait, policy, deadline); /* cannot fail: the caller has looked at both */
    while ((error = look(l, reads, debt, &wait)) == EBUSY) {
        if (!fw_wait_blocks_(&wait)) {
            fw_pause_();
        } else if (sleep_if_busy(l, reads, &sleep)) {
            debt = debt_of(l, reads); /* F:prw-no-debt */
            fw_wait_again_(&wait);
        }
    }
    if (error != 0 && debt != 0) /* F:prw-quiet-end */
        stir(l);
    return error;
}

int fw_rwlock_shared_rdlock_(lock *l, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    check(l);
    if (fw_load32_relaxed(&l->writer) == fw_robust_self_())
        return EDEADLK;
    return wait_for(l, true, policy, deadline);
}

int fw_rwlock_shared_wrlock_(lock *l, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    check(l);
    if (fw_load32_relaxed(&l->writer) == fw_robust_self_())
        return EDEADLK;
    return wait_for(l, false, policy, deadline);
}
