/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_RWLOCK_H
#define FW_IPC_RWLOCK_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>
#include <furwock/ipc/rwlock.h>

#include "ipc/region/layout.h"
#include "ipc/region/participant.h"
#include "ipc/share.h"
#include "ipc/wait.h"

/*
 * The word of the read-write lock between processes, and what its two sources share.  States and
 * invariants: rwlock.c.
 *
 *   bit 31  W           a writer may sleep on this half
 *   bit 30  DIED        what a dead writer left has not been repaired
 *   bit 21  NOTED       beside a dead holder with DIED: the owner history names it already
 *   bit 20  ASLEEP      beside DRAINING: the holder sleeps on a reader's record
 *   bit 19  READERS     readers wait
 *   bit 18  RELEASING   the holder admits readers
 *   bit 17  DRAINING    the holder waits until the readers have left
 *   bit 16  UPGRADABLE  the holder reads, and others may
 */
#define IPC_RW_UPGRADABLE (UINT64_C(1) << 16)
#define IPC_RW_DRAINING (UINT64_C(1) << 17)
#define IPC_RW_RELEASING (UINT64_C(1) << 18)
#define IPC_RW_READERS (UINT64_C(1) << 19)
#define IPC_RW_ASLEEP (UINT64_C(1) << 20)
#define IPC_RW_NOTED (UINT64_C(1) << 21)

/* One of these, or none: then the holder writes. */
#define IPC_RW_PHASE (IPC_RW_UPGRADABLE | IPC_RW_DRAINING | IPC_RW_RELEASING | FW_IPC_DIED)
#define IPC_RW_FLAGS (IPC_RW_PHASE | IPC_RW_READERS | IPC_RW_ASLEEP | IPC_RW_NOTED | FW_IPC_WAITERS)

_Static_assert((IPC_RW_FLAGS & FW_IPC_HOLDER) == 0, "beside the holder");

static inline uint64_t ipc_rw_holder(uint64_t w)
{
    return w & FW_IPC_HOLDER;
}

/* May a reader enter? */
static inline bool ipc_rw_is_open(uint64_t w)
{
    return w == 0 || (w & (IPC_RW_FLAGS & ~FW_IPC_WAITERS)) == IPC_RW_UPGRADABLE;
}

static inline bool ipc_rw_is_lost(uint64_t w)
{
    return w == FW_IPC_ABANDONED;
}

/* Can this lock have had this word, as far as can be told without its holder? */
static inline bool ipc_rw_is_possible(uint64_t w)
{
    uint64_t phase = w & IPC_RW_PHASE;

    return (w & ~(FW_IPC_HOLDER | IPC_RW_FLAGS)) == 0 && (phase & (phase - 1)) == 0;
}

/* Does the holder have it for writing? */
static inline bool ipc_rw_is_written(uint64_t w)
{
    return (w & (IPC_RW_PHASE & ~FW_IPC_DIED)) == 0;
}

static inline bool ipc_rw_is_unrepaired(uint64_t w)
{
    return (w & FW_IPC_DIED) != 0; /* F:ipc-rw-never-unsound */
}

/* Whose death is to be noted when this word is taken from a dead writer; 0: it is noted. */
static inline uint64_t ipc_rw_to_note(uint64_t w)
{
    return (w & IPC_RW_NOTED) == 0 ? ipc_rw_holder(w) : 0;
}

static inline bool ipc_rw_is_upgradable(uint64_t w)
{
    return (w & IPC_RW_UPGRADABLE) != 0;
}

static inline bool ipc_rw_has_writers(uint64_t w)
{
    return (w & FW_IPC_WAITERS) != 0;
}

static inline bool ipc_rw_has_readers(uint64_t w)
{
    return (w & IPC_RW_READERS) != 0;
}

static inline bool ipc_rw_is_asleep(uint64_t w)
{
    return (w & IPC_RW_ASLEEP) != 0;
}

/* What writers sleep on. */
static inline const uint32_t *ipc_rw_half(const fw_ipc_rwlock *l)
{
    return (const uint32_t *)(const void *)&l->word_;
}

static inline int ipc_rw_enter(const fw_ipc_rwlock *l, struct fw_ipc_me_ *me)
{
    if (__builtin_expect((uintptr_t)l % sizeof(uint64_t) != 0, 0))
        return EINVAL;
    return fw_ipc_enter_(l, me);
}

/* The same, if it is known already; else NULL. */
static inline const struct fw_ipc_me_ *ipc_rw_known(const fw_ipc_rwlock *l)
{
    return (uintptr_t)l % sizeof(uint64_t) == 0 ? fw_ipc_known_(l) : NULL;
}

/* Does the caller have a share of it? */
static inline bool ipc_rw_reads(const fw_ipc_rwlock *l, const struct fw_ipc_me_ *me)
{
    return fw_ipc_share_find_(me, fw_ipc_share_of_(me, l) | FW_IPC_SHARE_HELD) != NULL;
}

/* Is the caller the holder that the word names? */
static inline bool ipc_rw_is_mine(const struct fw_ipc_me_ *me, uint64_t w)
{
    return ipc_rw_holder(w) == me->id && ipc_rw_is_possible(w);
}

/* Does the caller hold the lock in any mode, if this is the word? */
static inline bool ipc_rw_has(const fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, uint64_t w)
{
    return ipc_rw_is_mine(me, w) || ipc_rw_reads(l, me);
}

/* The life of a holder; `w`, the caller's wait, may be NULL. */
static inline enum fw_ipc_life ipc_rw_life(const struct fw_ipc_me_ *me,
                                           const struct fw_ipc_wait_ *w, uint64_t holder)
{
    return w != NULL ? fw_ipc_wait_life_(w, holder) : fw_ipc_life_(me->mapping, holder);
}

/* Makes sure that the caller's records are found. */
static inline void ipc_rw_hint(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me)
{
    uint64_t mine = fw_ipc_group_of_(me->id);

    if (__builtin_expect((fw_load64_seq_cst(&l->hint_) & mine) == 0, 0))
        fw_or64_seq_cst(&l->hint_, mine);
}

/* --- rwlock_write.c --------------------------------------------------------------------------- */

/*
 * The caller, the holder of the word `now`, releases the lock, or keeps it upgradable (`into`: 0,
 * or its id|UPGRADABLE).  The data are sound.  Admits the readers that wait.
 */
void fw_ipc_rw_open_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, uint64_t now, uint64_t into);

/*
 * The lock is held as `now` says.  Does what a reader can do about a dead holder:
 *   0                         something was done about it: read the word again
 *   EBUSY                     the holder may live: wait
 *   EOWNERDEAD                nobody can repair what a dead writer left
 *   ENOTRECOVERABLE, EUCLEAN
 */
int fw_ipc_rw_recover_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, const struct fw_ipc_wait_ *w,
                       uint64_t now);

/*
 * Takes the word if it is free, or from a holder that died.  `phase` is DRAINING, or UPGRADABLE.
 *   0             the word is the caller's, in that phase
 *   EOWNERDEAD    DRAINING: the caller writes, and must repair, and *now is the dead holder;
 *                 UPGRADABLE: as fw_ipc_rw_recover_
 *   EBUSY         the holder may live; *now is the word as it was read
 *   ENOTRECOVERABLE, EUCLEAN
 * With `w`, waits: ETIMEDOUT instead of EBUSY.
 */
int fw_ipc_rw_close_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, struct fw_ipc_wait_ *w,
                     uint64_t phase, uint64_t *now);

/*
 * Waits until nobody reads a lock that is closed; if `w` is NULL, only looks (at any lock).
 * 0, EBUSY, EDEADLK (the caller does), ETIMEDOUT, EUCLEAN.
 */
int fw_ipc_rw_drain_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, struct fw_ipc_wait_ *w);

/* The same with a wait of its own, if it must wait. */
int fw_ipc_rw_drain_until_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me,
                           const fw_wait_policy *policy, const fw_deadline *deadline);

/*
 * For a thread that must not wait: the write lock in steps, of which an event loop makes one each
 * time that it is told of a change.
 *
 *   begin    0, EOWNERDEAD: the caller writes.  EINPROGRESS: the lock is closed, and readers are
 *            inside.  EBUSY: others hold it, or close it.  EDEADLK (the caller does),
 *            ENOTRECOVERABLE, EUCLEAN.
 *   go_on    after EINPROGRESS, again and again: 0, EINPROGRESS; else it has been opened again
 *   give_up  after EINPROGRESS, in place of that
 *   look     after EINPROGRESS: EBUSY, if this reader is inside, who wakes those that sleep on the
 *            word when it leaves (by IRW6 a wake may be missing); else the next step says more
 */
struct fw_ipc_rw_reader_ {
    const uint32_t *word;
    uint32_t expected;
    uint64_t holder;
};

int fw_ipc_rw_write_begin_(fw_ipc_rwlock *l);
int fw_ipc_rw_write_go_on_(fw_ipc_rwlock *l);
void fw_ipc_rw_write_give_up_(fw_ipc_rwlock *l);
int fw_ipc_rw_write_look_(fw_ipc_rwlock *l, struct fw_ipc_rw_reader_ *reader);

/* DRAINING, and nobody reads: from here on the caller writes. */
void fw_ipc_rw_begin_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me);

/* The writer releases it, declares it sound: as fw_ipc_rwlock_wrunlock, _consistent.  EPERM. */
int fw_ipc_rw_release_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me);
int fw_ipc_rw_declare_sound_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me);

/* The caller does not repair: id|DIED -> dead id|DIED|NOTED, as if it had not been here. */
void fw_ipc_rw_restore_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, uint64_t now, uint64_t dead);

/* The caller stops writing, the data are sound: commits and opens.  0, or EUCLEAN (the journal). */
int fw_ipc_rw_end_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, uint64_t now, uint64_t into);

#endif
