/* SPDX-License-Identifier: MIT */
/*
 * The read-write lock between processes, for tasks.  Contract, and RWT1 to RWT3: rwlock_task.h; the
 * lock: rwlock.c; records: share.h.
 */
#include "ipc/rwlock_task.h"

#include <stddef.h>

static uint64_t share_of(const struct fw_rw_record_ *r, const fw_ipc_rwlock *l)
{
    return fw_ipc_share_of_(&r->by, l);
}

/* NONE, or of an earlier generation -> the lock's.  False: no slot of this process has room. */
static bool claim(const fw_ipc_rwlock *l, struct fw_rw_records_ *all, struct fw_rw_record_ *r,
                  uint64_t state)
{
    for (unsigned n = 0; fw_ipc_agent_find_nth_(all->mapping, n, &r->by); n++) {
        uint64_t *at;
        while ((at = fw_ipc_share_free_record_(&r->by)) != NULL) {
            uint64_t seen = fw_load64_relaxed(at);
            if (seen != FW_IPC_SHARE_NONE && ((seen ^ r->by.id) & FW_IPC_SLOT_GENERATION_) == 0)
                continue; /* a task with another lock was quicker */
            if (fw_cas64_seq_cst(at, &seen, share_of(r, l) | state)) {
                r->at = at;
                return true;
            }
        }
    }
    return false;
}

int fw_ipc_rw_task_add_agent_(const struct fw_ipc_mapping_ *mapping)
{
    struct fw_ipc_me_ me;
    unsigned n = 0;

    while (fw_ipc_agent_find_nth_(mapping, n, &me) && fw_ipc_share_free_record_(&me) == NULL)
        n++;
    return fw_ipc_agent_nth_(mapping, n, &me);
}

/* The record says HELD: is the lock open to it?  IRW2 */
static bool is_in(fw_ipc_rwlock *l, const struct fw_rw_record_ *r)
{
    ipc_rw_hint(l, &r->by); /* F:ipc-rwt-no-hint */
    return ipc_rw_is_open(fw_load64_seq_cst(&l->word_));
}

static void wake_writer(const fw_ipc_rwlock *l, const uint64_t *record)
{
    if (ipc_rw_is_asleep(fw_load64_seq_cst(&l->word_)))
        fw_ipc_wake_(fw_ipc_share_half_(record), FW_FUTEX_ALL);
}

/* The record that waits is HELD: those that read so far have a record already, or have it now. */
static void become_held(const fw_ipc_rwlock *l, struct fw_rw_records_ *r)
{
    if (r->held.at == NULL) {
        r->held = r->waits;
    } else { /* RWT2 */
        fw_xchg64_seq_cst(r->waits.at, FW_IPC_SHARE_NONE);
        wake_writer(l, r->waits.at);
    }
    r->waits.at = NULL;
}

/* SLEEPS -> HELD, by itself; and back, if it was closed after all.  True: it is HELD. */
static bool enter_open(fw_ipc_rwlock *l, const struct fw_rw_record_ *r)
{
    uint64_t held = share_of(r, l) | FW_IPC_SHARE_HELD;
    uint64_t seen = fw_load64_acquire(r->at);

    while (seen != held)
        if (fw_cas64_seq_cst(r->at, &seen, held)) {
            if (is_in(l, r))
                return true;
            fw_xchg64_seq_cst(r->at, share_of(r, l) | FW_IPC_SHARE_SLEEPS);
            wake_writer(l, r->at); /* F:ipc-rwt-quiet-retreat */
            return false;
        }
    return true; /* admitted meanwhile */
}

/* The record that was just claimed goes again: the lock was closed after all. */
static void disclaim(fw_ipc_rwlock *l, struct fw_rw_record_ *r)
{
    fw_xchg64_seq_cst(r->at, FW_IPC_SHARE_NONE);
    wake_writer(l, r->at); /* F:ipc-rwt-quiet-disclaim */
    r->at = NULL;
}

/*
 * Each further round means that a writer closed the lock between two looks.  CLOSED is said only
 * of a word that is closed: of one that is open again there is no holder to wait for.
 */
enum fw_rw_entry_ fw_ipc_rw_task_enter_(fw_ipc_rwlock *l, struct fw_rw_records_ *r, uint64_t *now)
{
    for (;;) {
        if (r->waits.at != NULL &&
            fw_load64_acquire(r->waits.at) == (share_of(&r->waits, l) | FW_IPC_SHARE_HELD)) {
            become_held(l, r);
            return FW_RW_ADMITTED_;
        }
        *now = fw_load64_seq_cst(&l->word_);
        if (!ipc_rw_is_open(*now))
            return FW_RW_CLOSED_;
        if (r->held.at != NULL) /* RWT3 */
            return FW_RW_INSIDE_;
        if (r->waits.at != NULL) {
            if (enter_open(l, &r->waits)) {
                become_held(l, r);
                return FW_RW_ADMITTED_;
            }
            continue; /* F:ipc-rwt-open-is-closed */
        }
        if (!claim(l, r, &r->held, FW_IPC_SHARE_HELD))
            return FW_RW_FULL_;
        if (is_in(l, &r->held))
            return FW_RW_INSIDE_;
        disclaim(l, &r->held); /* F:ipc-rwt-nobody-is-holder */
    }
}

int fw_ipc_rw_task_announce_(fw_ipc_rwlock *l, struct fw_rw_records_ *r, uint64_t now,
                             uint32_t *expected)
{
    const uint64_t whose = FW_IPC_HOLDER | IPC_RW_PHASE | IPC_RW_READERS;
    uint64_t seen, sleeps;

    if (r->waits.at == NULL && !claim(l, r, &r->waits, FW_IPC_SHARE_SLEEPS))
        return EAGAIN;
    ipc_rw_hint(l, &r->waits.by); /* F:ipc-rwt-waits-unseen */
    /* closed -> closed|READERS: the release then walks the records */
    if (!ipc_rw_has_readers(now) && !fw_cas64_seq_cst(&l->word_, &now, now | IPC_RW_READERS))
        return 0;
    sleeps = share_of(&r->waits, l) | FW_IPC_SHARE_SLEEPS;
    seen = share_of(&r->waits, l) | FW_IPC_SHARE_WAITS;
    *expected = (uint32_t)sleeps;
    if (!fw_cas64_seq_cst(r->waits.at, &seen, sleeps) && seen != sleeps) /* WAITS -> SLEEPS */
        return seen == (share_of(&r->waits, l) | FW_IPC_SHARE_HELD) ? 0 : EUCLEAN;
    /*
     * The same holder may have opened and closed it since: then nobody says that readers wait.
     * F:ipc-rwt-old-look
     */
    return ((fw_load64_seq_cst(&l->word_) ^ (now | IPC_RW_READERS)) & whose) == 0 ? EBUSY : 0;
}

bool fw_ipc_rw_task_withdraw_(struct fw_rw_records_ *r)
{
    uint64_t seen;

    if (r->waits.at == NULL)
        return false;
    seen = fw_load64_acquire(r->waits.at);
    while ((seen & FW_IPC_SHARE_STATE) != FW_IPC_SHARE_HELD)
        if (fw_cas64_acquire(r->waits.at, &seen, FW_IPC_SHARE_NONE)) { /* F:ipc-rwt-stays */
            r->waits.at = NULL;
            return false;
        }
    if (r->held.at == NULL) {
        r->held = r->waits;
        r->waits.at = NULL;
        return true; /* F:ipc-rwt-keeps-share */
    }
    fw_xchg64_seq_cst(r->waits.at, FW_IPC_SHARE_NONE); /* the other one is HELD as well */
    fw_ipc_wake_(fw_ipc_share_half_(r->waits.at), FW_FUTEX_ALL);
    r->waits.at = NULL;
    return false;
}

const uint32_t *fw_ipc_rw_task_leave_(const fw_ipc_rwlock *l, struct fw_rw_records_ *r)
{
    uint64_t *record = r->held.at;

    r->held.at = NULL;
    /* HELD -> NONE; then the word: IRW6  F:ipc-rwt-late-leave */
    fw_xchg64_seq_cst(record, FW_IPC_SHARE_NONE);
    /* F:ipc-rwt-quiet-leave */
    return ipc_rw_is_asleep(fw_load64_seq_cst(&l->word_)) ? fw_ipc_share_half_(record) : NULL;
}

/* --- Writers ---------------------------------------------------------------------------------- */

int fw_ipc_rw_task_drain_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *agent,
                          struct fw_ipc_rw_reader_ *reader)
{
    struct fw_ipc_walk_ k;

    if (!ipc_rw_is_asleep(fw_load64_relaxed(&l->word_))) /* F:ipc-rwt-asleep-unsaid */
        fw_or64_seq_cst(&l->word_, IPC_RW_ASLEEP);       /* id|DRAINING -> id|DRAINING|ASLEEP */
    fw_ipc_walk_begin_(&k, agent->mapping, l, fw_load64_seq_cst(&l->hint_));
    while (fw_ipc_walk_next_(&k)) { /* F:ipc-rwt-past-records */
        enum fw_ipc_life life;
        if (fw_ipc_share_state_(k.seen) != FW_IPC_SHARE_HELD)
            continue;
        life = fw_ipc_life_(agent->mapping, k.holder);
        if (life == FW_IPC_CORRUPT)
            return EUCLEAN;
        if (life == FW_IPC_ALIVE) { /* F:ipc-rwt-waits-for-dead */
            *reader = (struct fw_ipc_rw_reader_){fw_ipc_share_half_(k.record), (uint32_t)k.seen,
                                                 k.holder};
            return EBUSY;
        }
        fw_cas64_relaxed(k.record, &k.seen, FW_IPC_SHARE_NONE); /* SHR1: it says nothing */
    }
    return 0;
}

void fw_ipc_rw_task_give_up_(fw_ipc_rwlock *l, const struct fw_ipc_me_ *agent)
{
    fw_ipc_rw_open_(l, agent, fw_load64_relaxed(&l->word_), 0); /* F:ipc-rwt-keeps-closed */
}

bool fw_ipc_rw_task_announce_writer_(fw_ipc_rwlock *l, uint64_t *now)
{
    if (ipc_rw_has_writers(*now))
        return true;
    /* id -> id|W  F:ipc-rwt-unqueued */
    if (!fw_cas64_seq_cst(&l->word_, now, *now | FW_IPC_WAITERS))
        return false;
    *now |= FW_IPC_WAITERS;
    return true;
}
