/* SPDX-License-Identifier: MIT */
/*
 * The read-write lock between processes: upgradable reading, and from one mode to another.  States
 * and invariants: rwlock.c.
 */
#include "ipc/recover.h"
#include "ipc/rwlock.h"

static __attribute__((noinline)) int uplock_slow(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me,
                                                 uint64_t now, const fw_wait_policy *policy,
                                                 const fw_deadline *deadline)
{
    struct fw_ipc_wait_ w;
    int error;

    if (ipc_rw_has(l, me, now))
        return EDEADLK;
    error = fw_ipc_wait_begin_(&w, me, l, FW_IPC_WAITS_LOCK, policy, deadline);
    if (error != 0)
        return error;
    error = fw_ipc_rw_close_(l, me, &w, IPC_RW_UPGRADABLE, &now);
    fw_ipc_wait_pass_on_(&w);
    fw_ipc_wait_end_(&w);
    return error;
}

int fw_ipc_rwlock_upgradable_trylock(fw_ipc_rwlock *l)
{
    struct fw_ipc_me_ me;
    uint64_t now = 0;
    int error = ipc_rw_enter(l, &me);

    return error != 0 ? error : fw_ipc_rw_close_(l, &me, NULL, IPC_RW_UPGRADABLE, &now);
}

int fw_ipc_rwlock_upgradable_lock_policy(fw_ipc_rwlock *l, const fw_wait_policy *policy,
                                         const fw_deadline *deadline)
{
    struct fw_ipc_me_ me;
    uint64_t now = 0;
    int error = ipc_rw_enter(l, &me);

    if (error != 0)
        return error;
    if (fw_cas64_seq_cst(&l->word_, &now, me.id | IPC_RW_UPGRADABLE)) /* 0 -> id|UPGRADABLE */
        return 0;
    return uplock_slow(l, &me, now, policy, deadline);
}

int fw_ipc_rwlock_upgradable_lock(fw_ipc_rwlock *l)
{
    return fw_ipc_rwlock_upgradable_lock_policy(l, NULL, NULL);
}

int fw_ipc_rwlock_upgradable_timedlock(fw_ipc_rwlock *l, const fw_deadline *deadline)
{
    return fw_ipc_rwlock_upgradable_lock_policy(l, NULL, deadline);
}

/* Is the caller the upgradable reader?  *now is the word then. */
static int check_upgradable(const fw_ipc_rwlock *l, struct fw_ipc_me_ *me, uint64_t *now)
{
    int error = ipc_rw_enter(l, me);

    if (error != 0)
        return error;
    *now = fw_load64_relaxed(&l->word_);
    return ipc_rw_is_mine(me, *now) && ipc_rw_is_upgradable(*now) ? 0 : EPERM;
}

int fw_ipc_rwlock_upgradable_unlock(fw_ipc_rwlock *l)
{
    struct fw_ipc_me_ me;
    uint64_t now;
    int error = check_upgradable(l, &me, &now);

    if (error == 0)
        fw_ipc_rw_open_(l, &me, now, 0);
    return error;
}

/* id|UPGRADABLE -> id|DRAINING, and W as it is: no new readers. */
static void close_to_readers(fw_ipc_rwlock *l, uint64_t now)
{
    while (!fw_cas64_seq_cst(&l->word_, &now, now ^ (IPC_RW_UPGRADABLE | IPC_RW_DRAINING)))
        ;
}

/* id|DRAINING -> id, or back to id|UPGRADABLE. */
static int upgrade_or_not(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, int error)
{
    if (error == 0)
        fw_ipc_rw_begin_(l, me);
    else
        fw_ipc_rw_open_(l, me, fw_load64_relaxed(&l->word_), me->id | IPC_RW_UPGRADABLE);
    return error;
}

int fw_ipc_rwlock_tryupgrade(fw_ipc_rwlock *l)
{
    struct fw_ipc_me_ me;
    uint64_t now;
    int error = check_upgradable(l, &me, &now);

    if (error != 0)
        return error;
    /* Look first: to close the lock in vain would keep readers out. */
    error = fw_ipc_rw_drain_(l, &me, NULL);
    if (error != 0)
        return error;
    close_to_readers(l, now);
    return upgrade_or_not(l, &me, fw_ipc_rw_drain_(l, &me, NULL));
}

int fw_ipc_rwlock_timedupgrade(fw_ipc_rwlock *l, const fw_deadline *deadline)
{
    struct fw_ipc_me_ me;
    uint64_t now;
    int error = check_upgradable(l, &me, &now);

    if (error != 0)
        return error;
    close_to_readers(l, now);
    /* F:ipc-rw-hasty-upgrade */
    return upgrade_or_not(l, &me, fw_ipc_rw_drain_until_(l, &me, NULL, deadline));
}

int fw_ipc_rwlock_upgrade(fw_ipc_rwlock *l)
{
    return fw_ipc_rwlock_timedupgrade(l, NULL);
}

/* Has the caller something that it can turn into less?  *now is the word then. */
static int check_downgrade(const fw_ipc_rwlock *l, struct fw_ipc_me_ *me, uint64_t *now)
{
    int error = ipc_rw_enter(l, me);

    if (error != 0)
        return error;
    *now = fw_load64_relaxed(&l->word_);
    if (!ipc_rw_is_mine(me, *now))
        return EPERM;
    return ipc_rw_is_unrepaired(*now) ? EOWNERDEAD : 0;
}

int fw_ipc_rwlock_downgrade(fw_ipc_rwlock *l)
{
    struct fw_ipc_me_ me;
    uint64_t now;
    uint64_t *mine;
    int error = check_downgrade(l, &me, &now);

    if (error != 0)
        return error;
    mine = fw_ipc_share_room_(&me);
    if (mine == NULL)
        return EAGAIN;
    /* Before the word is open, as all readers have it: D2. */
    fw_xchg64_seq_cst(mine, fw_ipc_share_of_(&me, l) | FW_IPC_SHARE_HELD); /* F:ipc-rw-late-share */
    ipc_rw_hint(l, &me);
    if (ipc_rw_is_written(now))
        return fw_ipc_rw_end_(l, &me, now, 0); /* F:ipc-rw-late-share-2 */
    fw_ipc_rw_open_(l, &me, now, 0);
    return 0;
}

int fw_ipc_rwlock_downgrade_upgradable(fw_ipc_rwlock *l)
{
    struct fw_ipc_me_ me;
    uint64_t now;
    int error = check_downgrade(l, &me, &now);

    if (error == 0 && !ipc_rw_is_written(now))
        error = EPERM;
    return error != 0 ? error : fw_ipc_rw_end_(l, &me, now, me.id | IPC_RW_UPGRADABLE);
}
