/* SPDX-License-Identifier: MIT */
/*
 * The read-write lock between processes: readers, also upgradable ones, and changes of mode.
 * Contract: furwock/ipc/rwlock.h.  Bits: rwlock.h.  Shares: share.h.  Writers, and what is done
 * about dead holders: rwlock_write.c, which this file calls and which calls nothing here.  Reasons,
 * proofs and figures: doc/design/ipc-rwlock.md.
 *
 * Origin: phase-fair is Brandenburg and Anderson's (ECRTS 2009).  Readers that announce themselves
 * in a slot of their own and then check for a writer are in Linux's big-reader locks; the pattern
 * is Dekker's.  New is that no reader writes to the lock, so none can leave a count behind, and
 * that the word names its holder, whose death the kernel reports (layout.h).
 *
 *   word                meaning                                left by
 *   0                   free, open                             any thread: -> id|DRAINING,
 *                                                              |UPGRADABLE
 *   id|UPGRADABLE[|W]   id reads, and may write later; open    id: -> 0, id|DRAINING
 *   id|DRAINING[|...]   closed; id waits for the readers       id: -> id; gives up: as a release
 *   id[|...]            id writes                              id: -> 0, id|UPGRADABLE, through
 *                                                              id|RELEASING if readers wait
 *   id|DIED[|...]       id writes; what a dead writer left     consistent: -> id; else: ->
 *                       is not repaired                        ABANDONED
 *   id|RELEASING[|...]  closed; the data are sound; id admits  id: -> 0, id|UPGRADABLE
 *                       the readers that wait
 *   dead id|...         its holder is dead                     the next thread: rwlock_write.c
 *   ABANDONED           given up                               nobody
 *   anything else       has been written over                  nobody: EUCLEAN
 *
 *   beside a closed word: READERS, readers wait; W, writers may sleep; ASLEEP (with DRAINING), id
 *   sleeps on a reader's record; NOTED (with DIED and a dead id), the owner history names the dead.
 *
 * A reader:  record -> HELD; the hint has its group; the word is open: it is in.
 *            Else: record -> WAITS; the hint; READERS into the word; waits until the record is
 *            HELD, or the word is open: then as above.
 * A writer:  word 0 -> id|DRAINING; the hint; the records in its groups: it waits until none is
 *            HELD by a living thread; -> id.
 *
 * Legal:   any flag for nobody (a needless wake or walk); bits in the hint without records; a HELD
 *          record of a thread that is about to find the word closed.
 * Illegal: a living reader inside whose group is not in the hint, unless the word is DRAINING; to
 *          admit a reader, or to go on as a writer, because of a word that was read before the
 *          record was written, or the reverse.
 *
 *   IRW1  A word that names a living holder is changed by nobody else, except for READERS and W.
 *   IRW2  Record, hint and word are written and read, in this order by readers, and in the reverse
 *         order by writers, in the one total order of sequentially consistent operations.  So if a
 *         reader finds the word open and a writer closes it, either the reader comes after the
 *         writer's release, or the writer sees hint and record.
 *   IRW3  A reader inside has a HELD record until it leaves, at one index or another (SHR2).
 *   IRW4  A hint that was cleared, and not yet rebuilt, stands beside a word that is DRAINING.  A
 *         thread that takes such a word from a dead writer sets all bits before the word is open
 *         again.
 *   IRW5  Phase and holder are one word: every death leaves a state of the table.  Only `id` and
 *         `id|DIED` leave data that may be half changed.
 *   IRW6  A waiter watches the life of the thread it waits for: the holder in the word, or the
 *         reader of the record (wait.h).  Writers queue up for it (IMU6 in mutex.c).  A wake that
 *         is lost because a store is seen late (rdunlock) costs one re-check interval, the first.
 */
#include <furwock/ipc/rwlock.h>

#include "ipc/recover.h"
#include "ipc/region/journal.h"
#include "ipc/region/repairs.h"
#include "ipc/rwlock.h"

_Static_assert(sizeof(fw_ipc_rwlock) == 64, "one cache line");
_Static_assert(FW_IPC_SHARES <= FW_IPC_SHARES_MAX, "the public promise");

/* A reader on its way in. */
struct reader {
    fw_ipc_rwlock *l;
    const struct fw_ipc_me_ *me;
    uint64_t *record; /* NULL: none yet */
    uint64_t share;   /* what it says, less the state */
};

int fw_ipc_rwlock_init(fw_ipc_rwlock *l)
{
    if ((uintptr_t)l % sizeof(uint64_t) != 0)
        return EINVAL;
    *l = (fw_ipc_rwlock)FW_IPC_RWLOCK_INIT;
    return 0;
}

/* The record no longer says HELD: a writer may sleep on it. */
static void wake_writer(const fw_ipc_rwlock *l, const uint64_t *record)
{
    if (__builtin_expect(ipc_rw_is_asleep(fw_load64_relaxed(&l->word_)), 0))
        fw_ipc_wake_(fw_ipc_share_half_(record), 1);
}

/* The record is written: is the lock open to it?  IRW2 */
static inline bool is_in(const struct reader *r)
{
    ipc_rw_hint(r->l, r->me); /* F:ipc-rw-no-hint */
    return ipc_rw_is_open(fw_load64_seq_cst(&r->l->word_));
}

/* HELD -> NONE, WAITS: it was closed after all. */
static void retract(const struct reader *r, uint64_t record)
{
    fw_xchg64_seq_cst(r->record, record);
    wake_writer(r->l, r->record);
}

/* Does the caller hold the lock for reading, by another record than this? */
static bool reads_already(const struct reader *r)
{
    for (unsigned i = 0; i < FW_IPC_SHARES; i++) {
        const uint64_t *record = &r->me->participant->shares[i];
        if (record != r->record && fw_load64_relaxed(record) == (r->share | FW_IPC_SHARE_HELD))
            return true;
    }
    return false;
}

static bool is_held(const struct reader *r, uint64_t record)
{
    return record == (r->share | FW_IPC_SHARE_HELD);
}

/* Can the record of a waiter say this?  Else it has been written over. */
static bool is_waiting_record(const struct reader *r, uint64_t record)
{
    return record - r->share - FW_IPC_SHARE_HELD < FW_IPC_SHARE_STATE; /* the same, with a state */
}

/* WAITS, SLEEPS -> HELD by itself.  True: inside, or was admitted meanwhile. */
static bool enter_open(const struct reader *r)
{
    uint64_t seen = fw_load64_acquire(r->record);

    while (!is_held(r, seen)) {
        if (fw_cas64_seq_cst(r->record, &seen, r->share | FW_IPC_SHARE_HELD)) {
            if (is_in(r))
                return true;
            retract(r, r->share | FW_IPC_SHARE_WAITS);
            return false;
        }
        seen = fw_load64_acquire(r->record); /* a CAS that fails orders nothing */
    }
    return true;
}

/* Gives up waiting: WAITS, SLEEPS -> NONE.  False: it was admitted meanwhile. */
static bool withdraw(const struct reader *r)
{
    uint64_t seen = fw_load64_acquire(r->record);

    while (!is_held(r, seen)) {
        if (fw_cas64_acquire(r->record, &seen, FW_IPC_SHARE_NONE))
            return true;
        seen = fw_load64_acquire(r->record); /* a CAS that fails orders nothing */
    }
    return false;
}

/* Is the holder another than in `now`, or in another phase? */
static bool has_changed(const struct reader *r, uint64_t now)
{
    const uint64_t whose = FW_IPC_HOLDER | IPC_RW_PHASE;

    return ((fw_load64_seq_cst(&r->l->word_) ^ now) & whose) != 0;
}

/*
 * Sleeps until it is admitted, or the holder in `now` dies.  ETIMEDOUT.  A thread that opened the
 * lock, or took it over, since `now` was read may have found a record that did not sleep yet: hence
 * the word is read again.
 */
static int sleep_on_record(const struct reader *r, struct fw_ipc_wait_ *w, uint64_t now)
{
    uint64_t sleeps = r->share | FW_IPC_SHARE_SLEEPS;
    uint64_t seen = r->share | FW_IPC_SHARE_WAITS;

    if (!fw_cas64_seq_cst(r->record, &seen, sleeps) && seen != sleeps) /* WAITS -> SLEEPS */
        return 0;
    if (has_changed(r, now))
        return 0;
    fw_ipc_wait_watch_(w, ipc_rw_holder(now));
    return fw_ipc_wait_sleep_(w, fw_ipc_share_half_(r->record), (uint32_t)sleeps);
}

/* The record says WAITS.  0: inside; EUCLEAN: somebody has written over the record, or the lock. */
static int wait_until_admitted(const struct reader *r, struct fw_ipc_wait_ *w)
{
    int error = 0;

    while (error == 0) {
        uint64_t now = fw_load64_acquire(&r->l->word_);
        uint64_t record = fw_load64_acquire(r->record);
        if (is_held(r, record))
            return 0;
        if (!is_waiting_record(
                r, record)) { /* by that nobody would admit it, and no sleep would last */
            error = EUCLEAN;
            continue;
        }
        if (ipc_rw_is_open(now)) {
            if (enter_open(r))
                return 0;
            continue;
        }
        error = fw_ipc_rw_recover_(r->l, r->me, w, now);
        if (error != EBUSY)
            continue;
        error = 0;
        /* closed -> closed|READERS: the release then walks the records */
        if (!ipc_rw_has_readers(now) && !fw_cas64_seq_cst(&r->l->word_, &now, now | IPC_RW_READERS))
            continue;
        if (!fw_ipc_wait_spin_on_(w, now & FW_IPC_HOLDER))
            error = sleep_on_record(r, w, now);
    }
    return withdraw(r) ? error : 0;
}

static int read_wait_slow(const struct reader *r, const fw_wait_policy *policy,
                          const fw_deadline *deadline)
{
    struct fw_ipc_wait_ w;
    int error = 0;

    if (r->record == NULL)
        return EAGAIN;
    if (reads_already(r)) { /* the writer waits for that share, and will for this one: SHR2 */
        fw_xchg64_seq_cst(r->record, r->share | FW_IPC_SHARE_HELD);
        ipc_rw_hint(r->l, r->me);
        return 0;
    }
    if (ipc_rw_is_mine(r->me, fw_load64_relaxed(&r->l->word_)))
        error = EDEADLK;
    if (error == 0)
        error = fw_ipc_wait_begin_(&w, r->me, r->l, FW_IPC_WAITS_READ, policy, deadline);
    if (error != 0)
        return error;
    fw_xchg64_seq_cst(r->record, r->share | FW_IPC_SHARE_WAITS);
    ipc_rw_hint(r->l, r->me);
    error = wait_until_admitted(r, &w);
    return fw_ipc_wait_finish_(&w, error);
}

/* False: the lock is closed, or there is no record left; r->record is free, or NULL. */
static inline bool read_fast(struct reader *r)
{
    r->share = fw_ipc_share_of_(r->me, r->l);
    r->record = fw_ipc_share_free_record_(r->me);
    /* Read the word first: a record that is retracted may cost the writer a walk. */
    if (!ipc_rw_is_open(fw_load64_relaxed(&r->l->word_)) || r->record == NULL)
        return false;
    /* F:ipc-rw-late-record */
    fw_xchg64_seq_cst(r->record, r->share | FW_IPC_SHARE_HELD); /* NONE -> HELD */
    if (__builtin_expect(is_in(r), 1))
        return true;
    retract(r, FW_IPC_SHARE_NONE);
    return false;
}

static __attribute__((noinline)) int read_slow(fw_ipc_rwlock *l, const fw_wait_policy *policy,
                                               const fw_deadline *deadline)
{
    struct fw_ipc_me_ me;
    struct reader r = {.l = l, .me = &me};
    int error = ipc_rw_enter(l, &me);

    if (error != 0 || read_fast(&r))
        return error;
    return read_wait_slow(&r, policy, deadline);
}

int fw_ipc_rwlock_tryrdlock(fw_ipc_rwlock *l)
{
    struct fw_ipc_me_ me;
    struct reader r = {.l = l, .me = &me};
    int error = ipc_rw_enter(l, &me);

    while (error == 0 && !read_fast(&r)) {
        uint64_t now = fw_load64_relaxed(&l->word_);
        if (r.record == NULL || reads_already(&r))
            return read_wait_slow(&r, NULL, NULL); /* does not wait */
        if (!ipc_rw_is_open(now))
            error = fw_ipc_rw_recover_(l, &me, NULL, now);
    }
    return error;
}

int fw_ipc_rwlock_rdlock_policy(fw_ipc_rwlock *l, const fw_wait_policy *policy,
                                const fw_deadline *deadline)
{
    struct reader r = {.l = l, .me = ipc_rw_known(l)};

    return __builtin_expect(r.me != NULL && read_fast(&r), 1) ? 0 : read_slow(l, policy, deadline);
}

int fw_ipc_rwlock_rdlock(fw_ipc_rwlock *l)
{
    return fw_ipc_rwlock_rdlock_policy(l, NULL, NULL);
}

int fw_ipc_rwlock_timedrdlock(fw_ipc_rwlock *l, const fw_deadline *deadline)
{
    return fw_ipc_rwlock_rdlock_policy(l, NULL, deadline);
}

/*
 * The store may be seen after the word was read; a writer that falls asleep meanwhile sleeps for
 * one re-check interval (IRW6).  It has set ASLEEP, and read the record again, before.
 */
static inline int give_share_back(fw_ipc_rwlock *l, const struct fw_ipc_me_ *me)
{
    uint64_t *record = fw_ipc_share_find_(me, fw_ipc_share_of_(me, l) | FW_IPC_SHARE_HELD);

    if (__builtin_expect(record == NULL, 0))
        return EPERM;
    fw_store64_release(record, FW_IPC_SHARE_NONE); /* HELD -> NONE */
    wake_writer(l, record);
    return 0;
}

static __attribute__((noinline)) int unlock_slow(fw_ipc_rwlock *l)
{
    struct fw_ipc_me_ me;
    int error = ipc_rw_enter(l, &me);

    return error != 0 ? error : give_share_back(l, &me);
}

int fw_ipc_rwlock_rdunlock(fw_ipc_rwlock *l)
{
    const struct fw_ipc_me_ *me = ipc_rw_known(l);

    return __builtin_expect(me != NULL, 1) ? give_share_back(l, me) : unlock_slow(l);
}

/* --- Upgradable reading, and from one mode to another ----------------------------------------- */

static __attribute__((noinline)) int upgradable_lock_slow(fw_ipc_rwlock *l,
                                                          const struct fw_ipc_me_ *me, uint64_t now,
                                                          const fw_wait_policy *policy,
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
    return fw_ipc_wait_finish_(&w, error);
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
    return upgradable_lock_slow(l, &me, now, policy, deadline);
}

int fw_ipc_rwlock_upgradable_lock(fw_ipc_rwlock *l)
{
    return fw_ipc_rwlock_upgradable_lock_policy(l, NULL, NULL);
}

int fw_ipc_rwlock_upgradable_timedlock(fw_ipc_rwlock *l, const fw_deadline *deadline)
{
    return fw_ipc_rwlock_upgradable_lock_policy(l, NULL, deadline);
}

/* Is the caller the upgradable reader?  Then *now is the word. */
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
    /* Look first: to close the lock without success would keep readers out. */
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

/* Does the caller hold it in a mode that it can downgrade?  Then *now is the word. */
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
    mine = fw_ipc_share_free_record_(&me);
    if (mine == NULL)
        return EAGAIN;
    /* Before the word is open, as all readers do it: IRW2. */
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

/* --- In any mode ------------------------------------------------------------------------------ */

int fw_ipc_rwlock_unlock(fw_ipc_rwlock *l)
{
    switch (fw_ipc_rwlock_held_by_me(l)) {
    case FW_IPC_RWLOCK_WRITE:
        return fw_ipc_rwlock_wrunlock(l);
    case FW_IPC_RWLOCK_UPGRADABLE:
        return fw_ipc_rwlock_rdunlock(l) == 0 ? 0 : fw_ipc_rwlock_upgradable_unlock(l);
    default:
        return fw_ipc_rwlock_rdunlock(l);
    }
}

fw_ipc_rwlock_mode fw_ipc_rwlock_held_by_me(const fw_ipc_rwlock *l)
{
    struct fw_ipc_me_ me;
    uint64_t now = fw_load64_relaxed(&l->word_);

    if (ipc_rw_enter(l, &me) != 0)
        return FW_IPC_RWLOCK_NONE;
    if (ipc_rw_is_mine(&me, now))
        return ipc_rw_is_written(now) ? FW_IPC_RWLOCK_WRITE : FW_IPC_RWLOCK_UPGRADABLE;
    return ipc_rw_reads(l, &me) ? FW_IPC_RWLOCK_READ : FW_IPC_RWLOCK_NONE;
}

uint64_t fw_ipc_rwlock_generation(const fw_ipc_rwlock *l)
{
    return fw_load64_relaxed(&l->history_.generation_);
}

int fw_ipc_rwlock_death(const fw_ipc_rwlock *l, fw_ipc_death *death)
{
    return fw_ipc_death_of_(&l->history_, death);
}

int fw_ipc_rwlock_on_death(fw_ipc_rwlock *l, int (*repair)(void *arg, const fw_ipc_death *),
                           void *arg)
{
    return fw_ipc_mapping_of_(l) != NULL ? fw_ipc_on_death_(l, repair, arg) : EINVAL;
}

int fw_ipc_rwlock_journal(fw_ipc_rwlock *l, fw_ipc_journal *j)
{
    struct fw_ipc_me_ me;
    int error = ipc_rw_enter(l, &me);

    if (error != 0)
        return error;
    if (fw_ipc_rwlock_held_by_me(l) != FW_IPC_RWLOCK_WRITE)
        return EPERM;
    return fw_ipc_journal_attach_(me.mapping, l, sizeof *l, &l->history_, j);
}
