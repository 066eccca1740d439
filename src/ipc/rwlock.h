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
#include "ipc/region/member.h"
#include "ipc/share.h"
#include "ipc/wait.h"

/*
 * The word of the read-write lock between processes, and what its parts share.  States and
 * invariants: rwlock.c.
 *
 *   bit 31  W           a writer may sleep on this half
 *   bit 30  DIED        what a dead writer left has not been repaired
 *   bit 21  NOTED       beside a dead holder with DIED: the past says already who died
 *   bit 20  ASLEEP      beside DRAINING: the holder sleeps on a reader's record
 *   bit 19  READERS     readers wait
 *   bit 18  RELEASING   the holder lets readers in
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
#define IPC_RW_STAGE (IPC_RW_UPGRADABLE | IPC_RW_DRAINING | IPC_RW_RELEASING | FW_IPC_DIED)
#define IPC_RW_FLAGS (IPC_RW_STAGE | IPC_RW_READERS | IPC_RW_ASLEEP | IPC_RW_NOTED | FW_IPC_WAITERS)

_Static_assert((IPC_RW_FLAGS & FW_IPC_HOLDER) == 0, "beside the holder");

static inline uint64_t ipc_rw_holder(uint64_t w)
{
    return w & FW_IPC_HOLDER;
}

/* May a reader come in? */
static inline bool ipc_rw_is_open(uint64_t w)
{
    return w == 0 || (w & (IPC_RW_FLAGS & ~FW_IPC_WAITERS)) == IPC_RW_UPGRADABLE;
}

static inline bool ipc_rw_is_lost(uint64_t w)
{
    return w == FW_IPC_ABANDONED;
}

/* A word that this lock can have had, as far as that can be seen without its holder. */
static inline bool ipc_rw_is_possible(uint64_t w)
{
    uint64_t stage = w & IPC_RW_STAGE;

    return (w & ~(FW_IPC_HOLDER | IPC_RW_FLAGS)) == 0 && (stage & (stage - 1)) == 0;
}

/* Does the holder have it for writing? */
static inline bool ipc_rw_is_written(uint64_t w)
{
    return (w & (IPC_RW_STAGE & ~FW_IPC_DIED)) == 0;
}

/* Does its holder leave sound data if he dies now? */
static inline bool ipc_rw_is_sound(uint64_t w)
{
    return !ipc_rw_is_written(w);
}

static inline bool ipc_rw_is_unrepaired(uint64_t w)
{
    return (w & FW_IPC_DIED) != 0; /* F:ipc-rw-never-unsound */
}

/* Whose death is to be noted when this word is taken from a dead writer; 0: it is already. */
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

/* On what writers sleep. */
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

/* Has the caller a share of it? */
static inline bool ipc_rw_reads(const fw_ipc_rwlock *l, const struct fw_ipc_me_ *me)
{
    return fw_ipc_share_find_(me, fw_ipc_share_of_(me, l) | FW_IPC_SHARE_HELD) != NULL;
}

/* Is the caller the holder that the word names? */
static inline bool ipc_rw_is_mine(const struct fw_ipc_me_ *me, uint64_t w)
{
    return ipc_rw_holder(w) == me->id && ipc_rw_is_possible(w);
}

/* Has the caller the lock in any mode, if this is the word? */
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

/* --- rwlock_open.c: letting go, and what is done about holders that died --------------------*/

/*
 * The caller, who is the holder of the word `now`, gives the lock back, or keeps it upgradable
 * (`into`: 0, or its id|UPGRADABLE).  The data are sound.  Lets in readers that wait.
 */
void fw_ipc_rw_open_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, uint64_t now, uint64_t into);

/* Gives up writing without having repaired: the lock is lost. */
void fw_ipc_rw_lose_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, uint64_t now);

/*
 * The lock is held as `now` says:
 *   EBUSY                     by a holder who may live
 *   ESRCH                     by a dead one, who leaves sound data
 *   EOWNERDEAD                by a dead one, who wrote
 *   ENOTRECOVERABLE, EUCLEAN
 */
int fw_ipc_rw_judge_(const struct fw_ipc_me_ *me, const struct fw_ipc_wait_ *w, uint64_t now);

/*
 * The same, and does what one can do who wants to read:
 *   0                         something was done about a dead holder: look again
 *   EBUSY                     wait
 *   EOWNERDEAD                nobody can repair what a dead writer left
 *   ENOTRECOVERABLE, EUCLEAN
 */
int fw_ipc_rw_examine_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, const struct fw_ipc_wait_ *w,
                       uint64_t now);

/* --- rwlock_write.c: closing the lock ---------------------------------------------------------*/

/*
 * Takes the word from nobody, or from a holder that died.  `stage` is DRAINING, or UPGRADABLE.
 *   0             the word is the caller's, with the stage
 *   EOWNERDEAD    DRAINING: the caller writes, and must repair; UPGRADABLE: see examine
 *   EBUSY         the holder may live; *now is the word as it was seen
 *   ENOTRECOVERABLE, EUCLEAN
 * With `w`, waits: ETIMEDOUT instead of EBUSY.
 */
int fw_ipc_rw_close_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, struct fw_ipc_wait_ *w,
                     uint64_t stage, uint64_t *now);

/*
 * Waits until nobody reads a lock that is closed; where `w` is NULL, only looks (at any lock).
 * 0, EBUSY, EDEADLK (the caller does), ETIMEDOUT, EUCLEAN.
 */
int fw_ipc_rw_drain_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, struct fw_ipc_wait_ *w);

/* The same with a wait of its own, if it must. */
int fw_ipc_rw_drain_until_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me,
                           const fw_wait_policy *policy, const fw_deadline *deadline);

/* DRAINING, and nobody reads: from here on the caller writes. */
void fw_ipc_rw_begin_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me);

/* The caller gives up writing, all is sound: commits and opens.  0, or EUCLEAN from the journal. */
int fw_ipc_rw_end_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, uint64_t now, uint64_t into);

/* --- rwlock.c ---------------------------------------------------------------------------------*/

/* Sees to it that the caller's records are found. */
static inline void ipc_rw_hint(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me)
{
    uint64_t mine = fw_ipc_group_of_(me->id);

    if (__builtin_expect((fw_load64_seq_cst(&l->hint_) & mine) == 0, 0))
        fw_or64_seq_cst(&l->hint_, mine);
}

#endif
