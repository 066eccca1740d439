/* SPDX-License-Identifier: MIT */
/*
 * fw_await_ipc_rdlock, fw_await_ipc_wrlock.  Contract: furwock/ipc/await.h.  What the tasks of a
 * process hold: region_shares.h; the lock in their hands: ipc/rwlock_task.h.
 *
 * To read: one record waits for all tasks of the process.  Whoever finds that it was admitted, or
 * that the lock is open, lets all in that wait in any loop: they have waited for the same phase.
 *
 * To write: the first of a queue closes the word, as soon as no other has it; then the readers
 * leave, and it is woken by the record of one after the other.
 *
 *   stage        word           left by
 *   -----------  -------------  -----------------------------------------------------------------
 *   queued       another's      attempt: -> closing (0 -> id|DRAINING), or writes, if it was taken
 *                               from a dead writer
 *   closing      id|DRAINING    attempt, nobody reads: -> writes; cancelled, timed out: -> opened
 *   writes       id             its task
 *
 * kept_ of an operation is: to read, its hold; to write, the entry of the lock.  is_designated_: it
 * has left the queue while it was closing.
 */
#include <furwock/ipc/await.h>

#include <errno.h>
#include <stddef.h>

#include <furwock/bits/atomic.h>

#include "await/operation.h"
#include "await/region.h"
#include "await/region_shares.h"
#include "sys/thread.h"

static fw_ipc_rwlock *lock_of(const fw_await *op)
{
    return (fw_ipc_rwlock *)(uintptr_t)op->object_;
}

static fw_task owner(fw_task task)
{
    return task != 0 ? task : fw_self_();
}

/* The death of a holder that is not marked is found. */
static void ask(const fw_ipc_rwlock *l, const struct fw_ipc_me_ *agent)
{
    uint64_t holder = ipc_rw_holder(fw_load64_relaxed(&l->word_));

    if (holder != 0 && holder != agent->id &&
        fw_ipc_participant_of_(agent->mapping, holder) != NULL)
        fw_ipc_life_slow_(agent->mapping, holder);
}

static void watch_one(struct fw_look_ *look, uint64_t holder)
{
    look->n = 1;
    look->holders[0] = holder;
}

/* --- Reading ---------------------------------------------------------------------------------- */

/*
 * EBUSY: it is closed, as *now says; EAGAIN: no record is free.  Else it has come in, if it is not
 * queued; and all that are have.
 */
static int enter(fw_await *op, bool was_queued, uint64_t *now)
{
    struct fw_region_bucket_ *b = fw_region_bucket_lock_(op->object_);
    struct fw_shares_ *s = fw_shares_asked_by_(op, was_queued);
    enum fw_rw_entry_ entry =
        s != NULL ? fw_ipc_rw_task_enter_(s->lock, &s->records, now) : FW_RW_CLOSED_;

    if (entry == FW_RW_INSIDE_ || entry == FW_RW_ADMITTED_) {
        if (!was_queued)
            fw_shares_come_in_(s, op);
        /* F:ipc-await-rw-alone */
        fw_shares_let_in_(b, s);
        return FW_LOOK_AGAIN_;
    }
    fw_region_bucket_unlock_(b);
    if (s == NULL)
        return FW_LOOK_AGAIN_;
    return entry == FW_RW_FULL_ ? EAGAIN : EBUSY;
}

/* It is closed by a holder that may live. */
static int wait_for_admission(const fw_await *op, bool was_queued, uint64_t now,
                              struct fw_look_ *look)
{
    struct fw_region_bucket_ *b = fw_region_bucket_lock_(op->object_);
    struct fw_shares_ *s = fw_shares_asked_by_(op, was_queued);
    int error = s != NULL ? fw_ipc_rw_task_announce_(s->lock, &s->records, now, &look->expected)
                          : FW_LOOK_AGAIN_;

    if (error == EBUSY)
        look->word = fw_ipc_share_half_(s->records.waits.at);
    fw_region_bucket_unlock_(b);
    watch_one(look, ipc_rw_holder(now)); /* F:ipc-await-rw-unwatched */
    return error;
}

static int read_attempt(fw_await *op, struct fw_look_ *look)
{
    bool was_queued = fw_operation_is_busy_(op);
    fw_ipc_rwlock *l = lock_of(op);
    int error = 0;

    if (look->asks)
        ask(l, look->agent);
    while (error == 0) {
        uint64_t now;
        error = enter(op, was_queued, &now);
        if (error == EBUSY)
            error = fw_ipc_rw_recover_(l, look->agent, NULL, now);
        if (error == EBUSY)
            error = wait_for_admission(op, was_queued, now, look);
        if (error == EAGAIN)
            error = fw_ipc_rw_task_add_agent_(look->agent->mapping);
    }
    return error == FW_LOOK_AGAIN_ && !was_queued ? 0 : error;
}

static int read_check(const fw_await *op, const struct fw_ipc_me_ *agent)
{
    (void)agent;
    return fw_shares_writes_(op->object_, op->task_) ? EDEADLK : 0;
}

static void read_give_back(fw_await *op)
{
    fw_shares_leave_(lock_of(op), op->task_);
}

/* In the bucket: it has come in, or never will. */
static void read_dequeued(fw_await *op)
{
    struct fw_share_hold_ *h = op->kept_;
    struct fw_region_bucket_ *b = fw_region_bucket_of_(op->object_);
    struct fw_shares_ *s = h != NULL ? fw_share_hold_of_(h) : fw_shares_of_(b, op->object_);

    fw_share_hold_free_(h);
    op->kept_ = NULL;
    fw_shares_asked_(s, true);
}

const struct fw_target_ fw_target_read_ = {.attempt = read_attempt,
                                           .check = read_check,
                                           .give_back = read_give_back,
                                           .dequeued = read_dequeued,
                                           .is_held = true,
                                           .refuses_dead = true,
                                           .queue = FW_TARGET_READ_};

/* The operation was not queued: it asks no longer. */
static void stop_asking(struct fw_shares_ *s, bool to_read)
{
    struct fw_region_bucket_ *b = fw_region_bucket_lock_(s->lock);

    fw_shares_asked_(s, to_read);
    fw_region_bucket_unlock_(b);
}

/* What the task reads already it may read again, whoever waits. */
static bool read_again(fw_await *op, fw_ipc_rwlock *l, int *error)
{
    struct fw_region_bucket_ *b = fw_region_bucket_lock_(l);
    struct fw_shares_ *s = fw_shares_of_(b, l);
    bool reads = s != NULL && fw_shares_again_(s, op->task_);

    fw_region_bucket_unlock_(b);
    if (!reads)
        return false;
    fw_ipc_agent_use_(s->records.mapping);
    op->want_ = FW_TARGET_READ_;
    *error = fw_operation_taken_(op, FW_OPERATION_REGION, l);
    return true;
}

int fw_await_ipc_rdlock(fw_await *op, fw_ipc_rwlock *l, const fw_deadline *deadline)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(l);
    struct fw_share_hold_ *h;
    struct fw_shares_ *s;
    int error;

    if (fw_operation_is_busy_(op))
        return EBUSY;
    if (mapping == NULL || (uintptr_t)l % sizeof l->word_ != 0)
        return EINVAL;
    if (op->loop_ != NULL && read_again(op, l, &error))
        return error;
    s = fw_shares_ask_(l, mapping, true);
    h = s != NULL ? fw_share_hold_new_(s, op->task_) : NULL;
    op->kept_ = h;
    op->aux_ = NULL;
    error = h != NULL ? fw_region_submit_(op, FW_TARGET_READ_, l, deadline) : ENOMEM;
    if (error == EINPROGRESS)
        return error;
    if (op->kept_ == h) /* it was not taken, which frees it */
        fw_share_hold_free_(h);
    if (s != NULL)
        stop_asking(s, true);
    return error;
}

int fw_task_ipc_rwlock_rdunlock(fw_ipc_rwlock *l, fw_task task)
{
    return fw_ipc_mapping_of_(l) != NULL ? fw_shares_leave_(l, owner(task)) : EINVAL;
}

/* --- Writing ---------------------------------------------------------------------------------- */

/* Its task writes. */
static void begin_writing(struct fw_shares_ *s, const fw_await *op)
{
    struct fw_region_bucket_ *b = fw_region_bucket_lock_(s->lock);

    fw_shares_set_closing_(s, NULL);
    s->writer = op->task_;
    fw_region_bucket_unlock_(b);
}

static int drain(struct fw_shares_ *s, const fw_await *op, struct fw_look_ *look)
{
    struct fw_ipc_rw_reader_ reader;
    int error = fw_ipc_rw_task_drain_(s->lock, look->agent, &reader);

    if (error == EBUSY) {
        look->word = reader.word;
        look->expected = reader.expected;
        watch_one(look, reader.holder); /* F:ipc-await-rw-unwatched-reader */
        if (look->asks && reader.holder != look->agent->id)
            fw_ipc_life_slow_(look->agent->mapping, reader.holder);
        return EBUSY;
    }
    if (error == 0) {
        fw_ipc_rw_begin_(s->lock, look->agent);
        begin_writing(s, op);
        return 0;
    }
    fw_shares_set_closing_(s, NULL);
    fw_ipc_rw_task_give_up_(s->lock, look->agent);
    return error;
}

static int close_it(struct fw_shares_ *s, fw_await *op, struct fw_look_ *look)
{
    uint64_t phase = IPC_RW_DRAINING | (look->was_told ? FW_IPC_WAITERS : 0);
    uint64_t now;
    int error;

    if (look->asks)
        ask(s->lock, look->agent);
    fw_region_keep_dead_(op, 0);
    do {
        now = fw_load64_relaxed(&s->lock->word_);
        error = fw_ipc_rw_close_(s->lock, look->agent, NULL, phase, &now);
    } while (error == EBUSY && !fw_ipc_rw_task_announce_writer_(s->lock, &now));
    if (error == EBUSY) {
        look->word = ipc_rw_half(s->lock);
        look->expected = (uint32_t)now;
        watch_one(look, ipc_rw_holder(now));
        return EBUSY;
    }
    if (error == EOWNERDEAD)
        fw_region_keep_dead_(op, now); /* F:ipc-await-rw-hides-death */
    if (error == EOWNERDEAD || (error == 0 && (now & IPC_RW_DRAINING) == 0))
        begin_writing(s, op);
    else if (error == 0)
        fw_shares_set_closing_(s, op);
    return error;
}

static int write_attempt(fw_await *op, struct fw_look_ *look)
{
    struct fw_shares_ *s = op->kept_;
    int error = 0;

    if (!fw_shares_is_closing_(s, op))
        error = close_it(s, op, look);
    return error == 0 && fw_shares_is_closing_(s, op) ? drain(s, op, look) : error;
}

static int write_check(const fw_await *op, const struct fw_ipc_me_ *agent)
{
    (void)agent;
    return fw_shares_writes_(op->object_, op->task_) || fw_shares_reads_(op->object_, op->task_)
               ? EDEADLK
               : 0;
}

static void write_give_back(fw_await *op)
{
    uint64_t dead = fw_region_kept_dead_(op);
    fw_ipc_rwlock *l = lock_of(op);
    struct fw_ipc_me_ agent;

    if (dead == 0) {
        fw_task_ipc_rwlock_wrunlock(l, op->task_);
        return;
    }
    if (!fw_ipc_agent_find_(fw_ipc_mapping_of_(l), &agent) ||
        fw_shares_stop_writing_(l, op->task_) != 0)
        return;
    fw_ipc_rw_restore_(l, &agent, fw_load64_relaxed(&l->word_), dead);
    fw_ipc_agent_unuse_(agent.mapping);
}

static void write_dequeued(fw_await *op)
{
    struct fw_shares_ *s = op->kept_;

    op->is_designated_ = fw_shares_is_closing_(s, op);
    if (op->is_designated_ == 0) /* else when it is open again */
        fw_shares_asked_(s, false);
}

/* It had closed the word: opens it. */
static void open_again(struct fw_shares_ *s, const fw_await *op)
{
    struct fw_ipc_me_ agent;

    if (!fw_shares_is_closing_(s, op))
        return;
    fw_shares_set_closing_(s, NULL);
    if (fw_ipc_agent_find_(s->records.mapping, &agent))
        fw_ipc_rw_task_give_up_(s->lock, &agent);
}

static void write_left(struct fw_watch_ *w, fw_await *op)
{
    struct fw_shares_ *s = op->kept_;

    if (op->is_designated_ == 0) /* the entry may be gone */
        return;
    open_again(s, op); /* F:ipc-await-rw-stays-closed */
    stop_asking(s, false);
    fw_watch_look_(w, false); /* for the next  F:ipc-await-rw-next-unseen */
    fw_watch_begin_(w->loop);
}

const struct fw_target_ fw_target_write_ = {.attempt = write_attempt,
                                            .check = write_check,
                                            .give_back = write_give_back,
                                            .dequeued = write_dequeued,
                                            .left = write_left,
                                            .is_held = true,
                                            .queue = FW_TARGET_WRITE_};

int fw_await_ipc_wrlock(fw_await *op, fw_ipc_rwlock *l, const fw_deadline *deadline)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(l);
    struct fw_shares_ *s;
    int error;

    if (fw_operation_is_busy_(op))
        return EBUSY;
    if (mapping == NULL || (uintptr_t)l % sizeof l->word_ != 0)
        return EINVAL;
    s = fw_shares_ask_(l, mapping, false);
    if (s == NULL)
        return ENOMEM;
    op->kept_ = s;
    error = fw_region_submit_(op, FW_TARGET_WRITE_, l, deadline);
    if (error == EINPROGRESS)
        return error;
    open_again(s, op);
    stop_asking(s, false);
    return error;
}

int fw_task_ipc_rwlock_wrunlock(fw_ipc_rwlock *l, fw_task task)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(l);
    struct fw_ipc_me_ agent;
    int error;

    if (mapping == NULL)
        return EINVAL;
    if (!fw_ipc_agent_find_(mapping, &agent) || fw_shares_stop_writing_(l, owner(task)) != 0)
        return EPERM;
    error = fw_ipc_rw_release_(l, &agent);
    fw_ipc_agent_unuse_(mapping);
    return error;
}

int fw_task_ipc_rwlock_consistent(fw_ipc_rwlock *l, fw_task task)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(l);
    struct fw_ipc_me_ agent;

    if (mapping == NULL)
        return EINVAL;
    if (!fw_ipc_agent_find_(mapping, &agent) || !fw_shares_writes_(l, owner(task)))
        return EPERM;
    return fw_ipc_rw_declare_sound_(l, &agent);
}
