/* SPDX-License-Identifier: MIT */
/*
 * The read-write lock between processes: how it is closed and opened, writers, and what becomes of
 * a lock whose holder is dead.  States and invariants: rwlock.c.
 *
 *   the word                 the first thread to come
 *   dead id|UPGRADABLE,      -> id|RELEASING, and releases in its place
 *   |DRAINING, |RELEASING
 *   dead id, dead id|DIED    writer: -> id|DIED, and repairs, or tells its caller
 *                            reader: the same if there is a repair, then releases; if that fails:
 *                            -> dead id|DIED|NOTED
 */
#include <limits.h>

#include <stddef.h>

#include <furwock/futex.h>

#include "ipc/holder_word.h"
#include "ipc/recover.h"
#include "ipc/region/journal.h"
#include "ipc/rwlock.h"

/* After this many writers the hint is rebuilt: doc/design/ipc-rwlock.md, "The hint". */
enum { WRITERS_PER_HINT = 16 };

/* --- Opening, and dead holders ---------------------------------------------------------------- */

/* id|any phase|READERS -> id|RELEASING; admits all that wait.  False: *now has changed. */
static bool admit_readers(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, uint64_t *now)
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
    bool has_admitted = false;
    uint64_t groups;
    uint64_t next;

    for (;;) {
        if (ipc_rw_has_readers(now) && !has_admitted) {
            has_admitted = admit_readers(l, me, &now); /* F:ipc-rw-frees-first */
            continue;
        }
        /*
         * Readers that came while others were admitted: they are told that the lock is open.  They
         * may still come, up to the change of the word, so the hint says too little.
         */
        groups = ipc_rw_has_readers(now) ? UINT64_MAX : 0; /* F:ipc-rw-old-hint */
        next = into == 0 ? 0 : into | (now & FW_IPC_WAITERS);
        if (fw_cas64_seq_cst(&l->word_, &now, next)) /* id|any phase -> 0, id|UPGRADABLE */
            break;
    }
    fw_ipc_shares_wake_(me->mapping, l, groups);
    /* Beside an upgradable reader those may enter that have no record: readers of event loops. */
    if (ipc_rw_has_writers(now)) /* F:ipc-rw-no-wake */
        fw_ipc_wake_(ipc_rw_half(l), next == 0 ? 1 : INT_MAX);
}

static void abandon(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, uint64_t now)
{
    while (!fw_cas64_release(&l->word_, &now, FW_IPC_ABANDONED)) /* id|DIED -> ABANDONED */
        ;
    if (ipc_rw_has_readers(now))
        fw_ipc_shares_wake_(me->mapping, l, fw_load64_seq_cst(&l->hint_));
    if (ipc_rw_has_writers(now))
        fw_ipc_wake_(ipc_rw_half(l), INT_MAX);
}

static int check_holder(const struct fw_ipc_me_ *me, const struct fw_ipc_wait_ *w, uint64_t now)
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

/* dead id|UPGRADABLE, DRAINING, RELEASING -> id|RELEASING -> 0; any reader may wait: IRW4 */
static void release_for_dead(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, uint64_t now)
{
    uint64_t mine = me->id | IPC_RW_RELEASING | IPC_RW_READERS | (now & FW_IPC_WAITERS);

    if (!fw_cas64_seq_cst(&l->word_, &now, mine))
        return; /* another thread was quicker */
    /* F:ipc-rw-lost-hint */
    fw_or64_seq_cst(&l->hint_, UINT64_MAX);
    fw_ipc_rw_open_(l, me, mine, 0);
}

void fw_ipc_rw_restore_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, uint64_t now, uint64_t dead)
{
    const uint64_t waiting = IPC_RW_READERS | FW_IPC_WAITERS;

    while (!fw_cas64_release(&l->word_, &now, dead | FW_IPC_DIED | IPC_RW_NOTED | (now & waiting)))
        ;
    if (ipc_rw_has_readers(now))
        fw_ipc_shares_wake_(me->mapping, l, fw_load64_seq_cst(&l->hint_));
    if (ipc_rw_has_writers(now))
        fw_ipc_wake_(ipc_rw_half(l), 1);
}

/* Takes the lock from a dead writer, repairs, and releases it: 0 (look again), or EOWNERDEAD. */
static int repair(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, uint64_t now)
{
    uint64_t dead = ipc_rw_holder(now);
    uint64_t to_note = ipc_rw_to_note(now);
    uint64_t mine = me->id | FW_IPC_DIED | (now & (IPC_RW_READERS | FW_IPC_WAITERS));

    if (!fw_ipc_can_recover_(l, &l->history_)) {
        /* `now` may be old: a thread that has released the lock since, and then ended, is dead too,
         * and nothing is wrong with the data.  F:ipc-rw-old-look */
        return fw_load64_relaxed(&l->word_) == now ? EOWNERDEAD : 0;
    }
    if (!fw_cas64_seq_cst(&l->word_, &now, mine))
        return 0;
    if (fw_ipc_recover_(me, l, &l->history_, to_note) != 0) {
        fw_ipc_rw_restore_(l, me, mine, dead);
        return EOWNERDEAD;
    }
    fw_ipc_rw_open_(l, me, mine, 0);
    return 0;
}

int fw_ipc_rw_recover_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, const struct fw_ipc_wait_ *w,
                       uint64_t now)
{
    int error = check_holder(me, w, now);

    if (error == EOWNERDEAD)
        return repair(l, me, now);
    if (error != ESRCH)
        return error;
    release_for_dead(l, me, now);
    return 0;
}

/* --- Closing ---------------------------------------------------------------------------------- */

/* dead id[|DIED] -> id|DIED -> id, if there is a repair.  False: another thread was quicker. */
static bool take_from_dead(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, uint64_t extra,
                           uint64_t *now, int *error)
{
    uint64_t dead = ipc_rw_holder(*now), to_note = ipc_rw_to_note(*now);
    /* F:ipc-rw-hides-death */
    uint64_t mine = me->id | FW_IPC_DIED | extra | (*now & (IPC_RW_READERS | FW_IPC_WAITERS));

    if (!fw_cas64_seq_cst(&l->word_, now, mine))
        return false;
    *error = fw_ipc_recover_(me, l, &l->history_, to_note);
    if (*error == 0)
        fw_and64_release(&l->word_, ~FW_IPC_DIED);
    *now = *error == 0 ? me->id : dead;
    return true;
}

static int attempt(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, const struct fw_ipc_wait_ *w,
                   uint64_t wanted, uint64_t *now)
{
    for (;;) {
        int error;
        if (*now == 0) {
            if (!fw_cas64_seq_cst(&l->word_, now, wanted)) /* 0 -> id|DRAINING, id|UPGRADABLE */
                continue;
            *now = wanted;
            return 0;
        }
        error = check_holder(me, w, *now);
        if (error == EOWNERDEAD && !ipc_rw_is_upgradable(wanted)) {
            if (take_from_dead(l, me, wanted & FW_IPC_WAITERS, now, &error))
                return error;
            continue;
        }
        if (error == EOWNERDEAD || error == ESRCH) {
            error = fw_ipc_rw_recover_(l, me, w, *now);
            *now = fw_load64_relaxed(&l->word_);
        }
        if (error != 0)
            return error;
    }
}

struct waiter {
    struct fw_ipc_waiter_ base;
    fw_ipc_rwlock *l;
    uint64_t wanted; /* the word without WAITERS */
};

static int attempt_again(void *waiter, uint64_t *now, uint64_t extra)
{
    const struct waiter *me = waiter;

    return attempt(me->l, &me->base.wait->me, me->base.wait, me->wanted | extra, now);
}

int fw_ipc_rw_close_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, struct fw_ipc_wait_ *w,
                     uint64_t phase, uint64_t *now)
{
    static const struct fw_owner_word_ how = FW_IPC_OWNER_WORD_(attempt_again, fw_ipc_owner_spin_);
    struct waiter waiter = {{&l->word_, w}, l, me->id | phase};

    return w == NULL ? attempt(l, me, NULL, waiter.wanted, now)
                     : fw_owner_word_wait_(&how, &l->word_, now, &waiter);
}

/*
 * Waits until a record that was HELD is HELD no longer, or its thread is dead.  EUCLEAN: no thread
 * can have written it, so it cannot be known whether a thread reads.
 */
static int wait_for_share(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, struct fw_ipc_wait_ *w,
                          const struct fw_ipc_walk_ *k)
{
    uint64_t seen = k->seen;
    int error = 0;

    while (fw_load64_acquire(k->record) == k->seen) {
        enum fw_ipc_life life = ipc_rw_life(me, w, k->holder);
        if (life == FW_IPC_CORRUPT)
            return EUCLEAN;
        /* F:ipc-rw-waits-for-dead */
        if (life == FW_IPC_DEAD) {
            fw_cas64_relaxed(k->record, &seen, FW_IPC_SHARE_NONE); /* SHR1: it says nothing */
            return 0;
        }
        if (k->holder == me->id)
            return EDEADLK;
        if (w == NULL)
            return EBUSY;
        if (error != 0)
            return error;
        if (fw_ipc_wait_spin_on_(w, k->holder))
            continue;
        if (!ipc_rw_is_asleep(fw_load64_relaxed(&l->word_)))
            fw_or64_seq_cst(&l->word_, IPC_RW_ASLEEP); /* id|DRAINING -> id|DRAINING|ASLEEP */
        else {
            fw_ipc_wait_watch_(w, k->holder);
            error = fw_ipc_wait_sleep_(w, fw_ipc_share_half_(k->record), (uint32_t)k->seen);
        }
    }
    return 0;
}

int fw_ipc_rw_drain_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, struct fw_ipc_wait_ *w)
{
    struct fw_ipc_walk_ k;
    int error = 0;

    fw_ipc_walk_begin_(&k, me->mapping, l, fw_load64_seq_cst(&l->hint_));
    while (error == 0 && fw_ipc_walk_next_(&k)) /* F:ipc-rw-past-records */
        if (fw_ipc_share_state_(k.seen) == FW_IPC_SHARE_HELD)
            error = wait_for_share(l, me, w, &k);
    return error;
}

int fw_ipc_rw_drain_until_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me,
                           const fw_wait_policy *policy, const fw_deadline *deadline)
{
    struct fw_ipc_wait_ w;
    int error;

    if (ipc_rw_reads(l, me)) /* it would wait for itself, maybe after others */
        return EDEADLK;
    error = fw_ipc_rw_drain_(l, me, NULL);
    if (error != EBUSY)
        return error;
    error = fw_ipc_wait_begin_(&w, me, l, FW_IPC_WAITS_LOCK, policy, deadline);
    return error != 0 ? error : fw_ipc_wait_finish_(&w, fw_ipc_rw_drain_(l, me, &w));
}

void fw_ipc_rw_begin_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me)
{
    if (fw_load64_relaxed(&l->history_.generation_) % WRITERS_PER_HINT == 0 &&
        fw_load64_relaxed(&l->hint_) != 0)
        fw_ipc_shares_tidy_(me->mapping, l, &l->hint_);
    fw_and64_seq_cst(&l->word_, ~(IPC_RW_DRAINING | IPC_RW_ASLEEP)); /* id|DRAINING -> id */
    fw_ipc_history_begin_(&l->history_, me);
}

/* The lock is closed, and `error` says whether the readers have left. */
static int begin_or_open(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, int error)
{
    if (error == 0)
        fw_ipc_rw_begin_(l, me);
    else
        fw_ipc_rw_open_(l, me, fw_load64_relaxed(&l->word_), 0);
    return error;
}

static __attribute__((noinline)) int lock_slow(fw_ipc_rwlock *l, const fw_wait_policy *policy,
                                               const fw_deadline *deadline)
{
    uint64_t now = fw_load64_relaxed(&l->word_);
    struct fw_ipc_me_ me;
    struct fw_ipc_wait_ w;
    int error = ipc_rw_enter(l, &me);

    if (error == 0 && ipc_rw_has(l, &me, now))
        error = EDEADLK;
    if (error == 0)
        error = fw_ipc_wait_begin_(&w, &me, l, FW_IPC_WAITS_LOCK, policy, deadline);
    if (error != 0)
        return error;
    error = fw_ipc_rw_close_(l, &me, &w, IPC_RW_DRAINING, &now);
    fw_ipc_wait_pass_on_(&w); /* while this one waits for readers, others watch its life: IMU6 */
    if (error == 0 && (now & IPC_RW_DRAINING) != 0) {
        fw_ipc_wait_again_(&w);
        error = begin_or_open(l, &me, fw_ipc_rw_drain_(l, &me, &w));
    }
    return fw_ipc_wait_finish_(&w, error);
}

int fw_ipc_rwlock_trywrlock(fw_ipc_rwlock *l)
{
    struct fw_ipc_me_ me;
    uint64_t now;
    int error = ipc_rw_enter(l, &me);

    if (error != 0)
        return error;
    /* Look first: to close the lock without success would keep readers out. */
    now = fw_load64_relaxed(&l->word_);
    if (now == 0)
        error = fw_ipc_rw_drain_(l, &me, NULL);
    if (error == 0)
        error = fw_ipc_rw_close_(l, &me, NULL, IPC_RW_DRAINING, &now);
    if (error == 0 && (now & IPC_RW_DRAINING) != 0)
        error = begin_or_open(l, &me, fw_ipc_rw_drain_(l, &me, NULL));
    return error == EDEADLK ? EBUSY : error; /* the caller's own share is one like others */
}

/* --- In steps --------------------------------------------------------------------------------- */

/* Is it closed by the caller, who waits for readers? */
static bool is_closing(const fw_ipc_rwlock *l, struct fw_ipc_me_ *me, uint64_t *now)
{
    if (ipc_rw_enter(l, me) != 0)
        return false;
    *now = fw_load64_relaxed(&l->word_);
    return ipc_rw_is_mine(me, *now) && (*now & IPC_RW_DRAINING) != 0;
}

int fw_ipc_rw_write_look_(fw_ipc_rwlock *l, struct fw_ipc_rw_reader_ *reader)
{
    struct fw_ipc_walk_ k;
    struct fw_ipc_me_ me;
    uint64_t now;
    int error = 0;

    if (!is_closing(l, &me, &now))
        return EPERM;
    if (!ipc_rw_is_asleep(now))
        fw_or64_seq_cst(&l->word_, IPC_RW_ASLEEP); /* id|DRAINING -> id|DRAINING|ASLEEP */
    fw_ipc_walk_begin_(&k, me.mapping, l, fw_load64_seq_cst(&l->hint_));
    while (error == 0 && fw_ipc_walk_next_(&k))
        if (fw_ipc_share_state_(k.seen) == FW_IPC_SHARE_HELD)
            error = wait_for_share(l, &me, NULL, &k);
    if (error == EBUSY)
        *reader =
            (struct fw_ipc_rw_reader_){fw_ipc_share_half_(k.record), (uint32_t)k.seen, k.holder};
    return error;
}

int fw_ipc_rw_write_go_on_(fw_ipc_rwlock *l)
{
    struct fw_ipc_me_ me;
    uint64_t now;
    int error;

    if (!is_closing(l, &me, &now))
        return EPERM;
    error = fw_ipc_rw_drain_(l, &me, NULL);
    return error == EBUSY ? EINPROGRESS : begin_or_open(l, &me, error);
}

int fw_ipc_rw_write_begin_(fw_ipc_rwlock *l)
{
    uint64_t now = fw_load64_relaxed(&l->word_);
    struct fw_ipc_me_ me;
    int error = ipc_rw_enter(l, &me);

    if (error == 0 && ipc_rw_has(l, &me, now))
        error = EDEADLK;
    if (error == 0)
        error = fw_ipc_rw_close_(l, &me, NULL, IPC_RW_DRAINING, &now);
    if (error == 0 && (now & IPC_RW_DRAINING) != 0)
        error = fw_ipc_rw_write_go_on_(l);
    return error;
}

void fw_ipc_rw_write_give_up_(fw_ipc_rwlock *l)
{
    struct fw_ipc_me_ me;
    uint64_t now;

    if (is_closing(l, &me, &now))
        fw_ipc_rw_open_(l, &me, now, 0);
}

/* The lock was open, and readers may be inside. */
static __attribute__((noinline)) int drain_slow(fw_ipc_rwlock *l, const struct fw_ipc_me_ *known,
                                                const fw_wait_policy *policy,
                                                const fw_deadline *deadline)
{
    struct fw_ipc_me_ me = *known; /* which may change before this thread has waited */

    return begin_or_open(l, &me, fw_ipc_rw_drain_until_(l, &me, policy, deadline));
}

int fw_ipc_rwlock_wrlock_policy(fw_ipc_rwlock *l, const fw_wait_policy *policy,
                                const fw_deadline *deadline)
{
    const struct fw_ipc_me_ *me = ipc_rw_known(l);
    uint64_t now = 0;

    if (__builtin_expect(me == NULL, 0) ||
        !fw_cas64_seq_cst(&l->word_, &now, me->id | IPC_RW_DRAINING)) /* 0 -> id|DRAINING */
        return lock_slow(l, policy, deadline);
    if (fw_load64_seq_cst(&l->hint_) != 0) /* F:ipc-rw-past-hint */
        return drain_slow(l, me, policy, deadline);
    fw_ipc_rw_begin_(l, me);
    return 0;
}

int fw_ipc_rwlock_wrlock(fw_ipc_rwlock *l)
{
    return fw_ipc_rwlock_wrlock_policy(l, NULL, NULL);
}

int fw_ipc_rwlock_timedwrlock(fw_ipc_rwlock *l, const fw_deadline *deadline)
{
    return fw_ipc_rwlock_wrlock_policy(l, NULL, deadline);
}

static int commit(const struct fw_ipc_me_ *me, const fw_ipc_rwlock *l)
{
    uint64_t journal = fw_load64_relaxed(&l->history_.journal_);

    return journal != 0 ? fw_ipc_journal_commit_at_(me->mapping, journal, l) : 0;
}

int fw_ipc_rw_end_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me, uint64_t now, uint64_t into)
{
    int error = commit(me, l);

    fw_ipc_rw_open_(l, me, now, into);
    return error;
}

int fw_ipc_rw_release_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me)
{
    uint64_t now = fw_load64_relaxed(&l->word_);

    if (!ipc_rw_is_mine(me, now) || !ipc_rw_is_written(now))
        return EPERM;
    if (!ipc_rw_is_unrepaired(now))
        return fw_ipc_rw_end_(l, me, now, 0); /* F:ipc-rw-lost-stays */
    abandon(l, me, now);
    return 0;
}

static __attribute__((noinline)) int unlock_slow(fw_ipc_rwlock *l)
{
    struct fw_ipc_me_ me;
    int error = ipc_rw_enter(l, &me);

    return error != 0 ? error : fw_ipc_rw_release_(l, &me);
}

int fw_ipc_rwlock_wrunlock(fw_ipc_rwlock *l)
{
    const struct fw_ipc_me_ *me = ipc_rw_known(l);
    uint64_t now;

    if (__builtin_expect(me == NULL || fw_load64_relaxed(&l->history_.journal_) != 0, 0))
        return unlock_slow(l);
    now = me->id;
    if (__builtin_expect(!fw_cas64_release(&l->word_, &now, 0), 0)) /* id -> 0 */
        return unlock_slow(l);
    return 0;
}

int fw_ipc_rw_declare_sound_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me)
{
    uint64_t now = fw_load64_relaxed(&l->word_);

    if (!ipc_rw_is_mine(me, now) || !ipc_rw_is_written(now))
        return EPERM;
    if (!ipc_rw_is_unrepaired(now))
        return EINVAL;
    fw_and64_release(&l->word_, ~FW_IPC_DIED); /* id|DIED -> id, and the rest as it is */
    return 0;
}

int fw_ipc_rwlock_consistent(fw_ipc_rwlock *l)
{
    struct fw_ipc_me_ me;
    int error = ipc_rw_enter(l, &me);

    return error != 0 ? error : fw_ipc_rw_declare_sound_(l, &me);
}
