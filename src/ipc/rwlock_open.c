/* SPDX-License-Identifier: MIT */
/*
 * The read-write lock between processes: how it is let go, and what becomes of a lock whose holder
 * is dead.  States and invariants: rwlock.c.
 *
 *   the word                 who comes first
 *   dead id|UPGRADABLE,      -> id|RELEASING, and lets go in his place
 *   |DRAINING, |RELEASING
 *   dead id, dead id|DIED    writer: -> id|DIED, and repairs, or tells its caller
 *                            reader: the same where there is a repair, then lets go; if that
 *                            fails: -> dead id|DIED|NOTED
 */
#include <limits.h>

#include "ipc/recover.h"
#include "ipc/rwlock.h"

/* id|any stage|READERS -> id|RELEASING; and all that wait come in.  False: *now is another. */
static bool let_in(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, uint64_t *now)
{
    uint64_t next = me->id | IPC_RW_RELEASING | (*now & FW_IPC_WAITERS);

    if (!fw_cas64_seq_cst(&l->word_, now, next))
        return false;
    *now = next;
    fw_ipc_shares_grant_(me->mapping, l, fw_load64_seq_cst(&l->hint_));
    return true;
}

void fw_ipc_rw_open_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, uint64_t now, uint64_t into)
{
    bool has_let_in = false;
    uint64_t groups;
    uint64_t next;

    for (;;) {
        if (ipc_rw_has_readers(now) && !has_let_in) {
            has_let_in = let_in(l, me, &now); /* F:ipc-rw-frees-first */
            continue;
        }
        /* Readers that came while others were let in: they are told that the lock is open. */
        groups = ipc_rw_has_readers(now) ? fw_load64_seq_cst(&l->hint_) : 0;
        next = into == 0 ? 0 : into | (now & FW_IPC_WAITERS);
        if (fw_cas64_seq_cst(&l->word_, &now, next)) /* id|any stage -> 0, id|UPGRADABLE */
            break;
    }
    fw_ipc_shares_wake_(me->mapping, l, groups);
    if (next == 0 && ipc_rw_has_writers(now)) /* F:ipc-rw-no-wake */
        fw_ipc_wake_(ipc_rw_half(l), 1);
}

void fw_ipc_rw_lose_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, uint64_t now)
{
    while (!fw_cas64_release(&l->word_, &now, FW_IPC_ABANDONED)) /* id|DIED -> NOBODY */
        ;
    if (ipc_rw_has_readers(now))
        fw_ipc_shares_wake_(me->mapping, l, fw_load64_seq_cst(&l->hint_));
    if (ipc_rw_has_writers(now))
        fw_ipc_wake_(ipc_rw_half(l), INT_MAX);
}

int fw_ipc_rw_judge_(const struct fw_ipc_me_ *me, const struct fw_ipc_wait_ *w, uint64_t now)
{
    enum fw_ipc_life life;

    if (ipc_rw_is_lost(now))
        return ENOTRECOVERABLE;
    life = ipc_rw_is_possible(now) ? ipc_rw_life(me, w, ipc_rw_holder(now)) : FW_IPC_CORRUPT;
    if (life == FW_IPC_CORRUPT)
        return EUCLEAN;
    if (life == FW_IPC_ALIVE) /* F:ipc-rw-robs */
        return EBUSY;
    return ipc_rw_is_written(now) ? EOWNERDEAD : ESRCH; /* F:ipc-rw-sound-anyway */
}

/* dead id|UPGRADABLE, DRAINING, RELEASING -> id|RELEASING -> 0; all may have waited: D4 */
static void finish(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, uint64_t now)
{
    uint64_t mine = me->id | IPC_RW_RELEASING | IPC_RW_READERS | (now & FW_IPC_WAITERS);

    if (!fw_cas64_seq_cst(&l->word_, &now, mine))
        return; /* another was quicker */
    /* F:ipc-rw-lost-hint */
    fw_or64_seq_cst(&l->hint_, UINT64_MAX);
    fw_ipc_rw_open_(l, me, mine, 0);
}

/* The caller could not repair: id|DIED -> dead id|DIED|NOTED, as if it had not been here. */
static void give_back(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, uint64_t now, uint64_t dead)
{
    const uint64_t waiting = IPC_RW_READERS | FW_IPC_WAITERS;

    while (!fw_cas64_release(&l->word_, &now, dead | FW_IPC_DIED | IPC_RW_NOTED | (now & waiting)))
        ;
    if (ipc_rw_has_readers(now))
        fw_ipc_shares_wake_(me->mapping, l, fw_load64_seq_cst(&l->hint_));
    if (ipc_rw_has_writers(now))
        fw_ipc_wake_(ipc_rw_half(l), 1);
}

/* Takes the lock from a dead writer, repairs, and lets go: 0, or EOWNERDEAD. */
static int repair(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, uint64_t now)
{
    uint64_t dead = ipc_rw_holder(now);
    uint64_t to_note = ipc_rw_to_note(now);
    uint64_t mine = me->id | FW_IPC_DIED | (now & (IPC_RW_READERS | FW_IPC_WAITERS));

    if (!fw_ipc_can_recover_(l, &l->past_))
        return EOWNERDEAD;
    if (!fw_cas64_seq_cst(&l->word_, &now, mine))
        return 0;
    if (fw_ipc_recover_(me, l, &l->past_, to_note) != 0) {
        give_back(l, me, mine, dead);
        return EOWNERDEAD;
    }
    fw_ipc_rw_open_(l, me, mine, 0);
    return 0;
}

int fw_ipc_rw_examine_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, const struct fw_ipc_wait_ *w,
                       uint64_t now)
{
    int verdict = fw_ipc_rw_judge_(me, w, now);

    if (verdict == EOWNERDEAD)
        return repair(l, me, now);
    if (verdict != ESRCH)
        return verdict;
    finish(l, me, now);
    return 0;
}
