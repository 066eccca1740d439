/* SPDX-License-Identifier: MIT */
/* Whether an object can be had, and what to watch if not.  Contract: watch.h. */
#include "watch.h"

#include <furwock/ipc.h>

#include "event_state.h"
#include "ipc/rwlock.h"
#include "ipc/task.h"
#include "semaphore_state.h"

#define COND_FLAGS UINT64_C(3) /* fw_ipc_cond: waiters, sleepers; above them the number */

static uint64_t *word_of(const struct fwpy_watched *w)
{
    switch (w->kind) {
    case FWPY_WATCH_MUTEX:
        return &((fw_ipc_mutex *)w->object)->word_;
    case FWPY_WATCH_SEMAPHORE:
        return &((struct fwpy_semaphore *)w->object)->word;
    case FWPY_WATCH_PERMITS:
        return &((fw_ipc_permits *)w->object)->queue_;
    case FWPY_WATCH_EVENT:
        return &((struct fwpy_event *)w->object)->word;
    case FWPY_WATCH_RWLOCK:
        return &((fw_ipc_rwlock *)w->object)->word_;
    default:
        return &((fw_ipc_cond *)w->object)->word_;
    }
}

uint64_t fwpy_watch_token(const struct fwpy_watched *w)
{
    if (w->kind == FWPY_WATCH_EVENT)
        return fwpy_event_begin(w->object).cleared;
    if (w->kind == FWPY_WATCH_CONDITION) /* with the lock held: whoever notifies next sees it */
        return fw_or64_relaxed(word_of(w), COND_FLAGS) & ~COND_FLAGS;
    return 0;
}

/* --- Can it be had?  If not, it is announced in the word -------------------------------------- */

static void add_holder(struct fwpy_look *look, uint64_t holder)
{
    if (look->holders < FWPY_HOLDERS_MAX)
        look->holder[look->holders++] = holder;
    else
        look->rechecks = true;
}

static void announce(struct fwpy_look *look, uint64_t *word)
{
    struct fwpy_call call = {.wait = NULL};

    fwpy_announce(&call, word);
    look->expected = call.expected;
}

static bool is_mutex_ready(uint64_t *word, struct fwpy_look *look)
{
    uint64_t now = fw_load64_acquire(word);

    do { /* free, given up, of a dead thread, or overwritten: the caller finds out */
        if (now == 0 || fw_ipc_life_(look->mapping, now & FW_IPC_HOLDER) != FW_IPC_ALIVE)
            return true;
    } while ((now & FW_IPC_WAITERS) == 0 && !fw_cas64_relaxed(word, &now, now | FW_IPC_WAITERS));
    look->expected = (uint32_t)(now | FW_IPC_WAITERS);
    add_holder(look, now & FW_IPC_HOLDER);
    return false;
}

static bool is_semaphore_ready(struct fwpy_semaphore *s, struct fwpy_look *look)
{
    announce(look, &s->word);
    if ((look->expected & FWPY_SEMAPHORE_MAX) != 0)
        return true;
    for (uint32_t i = 0; !s->is_signal && i < s->row_count && i < FWPY_SEMAPHORE_ROWS; i++) {
        uint64_t holder = s->rows[i].holder;
        if (s->rows[i].taken == 0)
            continue;
        if (!fwpy_is_alive(look->mapping, &s->rows[i].process, &holder))
            return true;
        if (holder == 0)
            look->rechecks = true;
        else
            add_holder(look, holder);
    }
    return false;
}

static bool is_permit_ready(fw_ipc_permits *p, struct fwpy_look *look)
{
    announce(look, &p->queue_);
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* IPERM3 in ipc/permits.c */
    if (fw_ipc_permits_value(p) != 0)
        return true;
    for (uint32_t i = 0; i < fw_ipc_permits_count(p) && !look->rechecks; i++)
        if (fw_ipc_permits_holder_(p, i) != 0)
            add_holder(look, fw_ipc_permits_holder_(p, i));
    return false;
}

static bool is_event_ready(struct fwpy_event *e, uint64_t cleared, struct fwpy_look *look)
{
    announce(look, &e->word);
    return (look->expected & FWPY_SEMAPHORE_MAX) != cleared; /* set: bit 0; or cleared since */
}

static bool is_condition_ready(fw_ipc_cond *c, uint64_t number, struct fwpy_look *look)
{
    uint64_t now = fw_load64_acquire(&c->word_);

    do {
        if ((now & ~COND_FLAGS) != number)
            return true;
    } while ((now & COND_FLAGS) != COND_FLAGS &&
             !fw_cas64_relaxed(&c->word_, &now, now | COND_FLAGS));
    look->expected = (uint32_t)(now | COND_FLAGS);
    look->beside = look->word + 1; /* a signal may move it to the mutex, whose holder may die */
    look->beside_expected = (uint32_t)(now >> 32);
    return false;
}

/* Closed, by this thread: have all readers left? */
static bool is_drained(fw_ipc_rwlock *l, struct fwpy_look *look)
{
    struct fw_ipc_rw_reader_ reader;

    if (fw_ipc_rw_write_look_(l, &reader) != EBUSY)
        return true; /* or something is wrong: the next step says so */
    look->word = reader.word;
    look->expected = reader.expected;
    add_holder(look, reader.holder);
    return false;
}

/* A reader sleeps as a writer does, and is woken when the lock is free. */
static bool is_rwlock_ready(fw_ipc_rwlock *l, uint64_t how, struct fwpy_look *look)
{
    uint64_t now = fw_load64_acquire(&l->word_), holder;

    if (how == FWPY_RW_DRAIN)
        return is_drained(l, look);
    do {
        holder = ipc_rw_holder(now);
        if (now == 0 || (how == FWPY_RW_READ && ipc_rw_is_open(now)) ||
            fw_ipc_life_(look->mapping, holder) != FW_IPC_ALIVE)
            return true;
    } while (!ipc_rw_has_writers(now) && !fw_cas64_relaxed(&l->word_, &now, now | FW_IPC_WAITERS));
    look->expected = (uint32_t)(now | FW_IPC_WAITERS);
    add_holder(look, holder);
    return false;
}

bool fwpy_watch_is_ready(const struct fwpy_watched *w, struct fwpy_look *look)
{
    look->mapping = fw_ipc_mapping_of_(w->object);
    look->rechecks = false;
    look->holders = 0;
    look->beside = NULL;
    if (look->mapping == NULL)
        return true;
    look->word = fw_ipc_half_(word_of(w));
    switch (w->kind) {
    case FWPY_WATCH_MUTEX:
        return is_mutex_ready(word_of(w), look);
    case FWPY_WATCH_SEMAPHORE:
        return is_semaphore_ready(w->object, look);
    case FWPY_WATCH_PERMITS:
        return is_permit_ready(w->object, look);
    case FWPY_WATCH_EVENT:
        return is_event_ready(w->object, w->token, look);
    case FWPY_WATCH_RWLOCK:
        return is_rwlock_ready(w->object, w->token, look);
    default:
        return is_condition_ready(w->object, w->token, look);
    }
}
