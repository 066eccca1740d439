/* SPDX-License-Identifier: MIT */
/* What tasks hold of read-write locks.  Contract, and SHT1 to SHT3: region_shares.h. */
#include "await/region_shares.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include <furwock/bits/atomic.h>

struct fw_share_hold_ {
    struct fw_share_hold_ *next;
    struct fw_shares_ *of;
    fw_task task;
    uint32_t n; /* read locks */
};

struct fw_shares_ *fw_shares_ask_(fw_ipc_rwlock *l, const struct fw_ipc_mapping_ *mapping,
                                  bool to_read)
{
    struct fw_shares_ *made = calloc(1, sizeof *made);
    struct fw_region_bucket_ *b = fw_region_bucket_lock_(l);
    struct fw_shares_ *s = fw_shares_of_(b, l);

    if (s == NULL && made != NULL) {
        s = made;
        made = NULL;
        s->lock = l;
        s->records.mapping = mapping;
        s->next = b->shares;
        b->shares = s;
    }
    if (s != NULL) {
        s->asking++;
        s->reading += to_read;
    }
    fw_region_bucket_unlock_(b);
    free(made);
    return s;
}

struct fw_share_hold_ *fw_share_hold_new_(struct fw_shares_ *s, fw_task task)
{
    struct fw_share_hold_ *h = calloc(1, sizeof *h);

    if (h != NULL)
        *h = (struct fw_share_hold_){.of = s, .task = task};
    return h;
}

void fw_share_hold_free_(struct fw_share_hold_ *h)
{
    free(h);
}

struct fw_shares_ *fw_share_hold_of_(const struct fw_share_hold_ *h)
{
    return h->of;
}

struct fw_shares_ *fw_shares_asked_by_(const fw_await *op, bool was_queued)
{
    return was_queued && op->aux_ == NULL ? NULL : fw_share_hold_of_(op->kept_);
}

struct fw_shares_ *fw_shares_of_(const struct fw_region_bucket_ *b, const void *lock)
{
    struct fw_shares_ *s = b->shares;

    while (s != NULL && s->lock != lock)
        s = s->next;
    return s;
}

static struct fw_share_hold_ **find_hold(struct fw_shares_ *s, fw_task task)
{
    struct fw_share_hold_ **at = &s->holds[(task >> FW_ID_SHIFT) % FW_SHARE_HOLDS_];

    while (*at != NULL && (*at)->task != task)
        at = &(*at)->next;
    return at;
}

bool fw_shares_reads_(const void *lock, fw_task task)
{
    struct fw_region_bucket_ *b = fw_region_bucket_lock_(lock);
    struct fw_shares_ *s = fw_shares_of_(b, lock);
    bool reads = s != NULL && *find_hold(s, task) != NULL;

    fw_region_bucket_unlock_(b);
    return reads;
}

bool fw_shares_writes_(const void *lock, fw_task task)
{
    struct fw_region_bucket_ *b = fw_region_bucket_lock_(lock);
    const struct fw_shares_ *s = fw_shares_of_(b, lock);
    bool writes = s != NULL && s->writer == task;

    fw_region_bucket_unlock_(b);
    return writes;
}

/* The task has the read lock for which this was made. */
static void add(struct fw_shares_ *s, struct fw_share_hold_ *h)
{
    struct fw_share_hold_ **at = find_hold(s, h->task);

    s->readers++;
    if (*at != NULL) {
        (*at)->n++;
        fw_share_hold_free_(h);
        return;
    }
    h->n = 1;
    h->next = NULL;
    *at = h;
}

bool fw_shares_again_(struct fw_shares_ *s, fw_task task)
{
    struct fw_share_hold_ *h = *find_hold(s, task);

    if (h == NULL)
        return false;
    h->n++;
    s->readers++;
    return true;
}

/* SHT1 */
static void tidy(struct fw_region_bucket_ *b, struct fw_shares_ *s)
{
    struct fw_shares_ **at = &b->shares;

    if (s->asking != 0 || s->readers != 0 || s->writer != 0)
        return;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    free(s);
}

/* The last reader has gone: whom to wake. */
static const uint32_t *leave(struct fw_shares_ *s)
{
    return s->readers == 0 && s->records.held.at != NULL
               ? fw_ipc_rw_task_leave_(s->lock, &s->records)
               : NULL;
}

void fw_shares_asked_(struct fw_shares_ *s, bool to_read)
{
    struct fw_region_bucket_ *b = fw_region_bucket_of_(s->lock);
    const uint32_t *sleeper = NULL;

    s->asking--;
    s->reading -= to_read;
    /* F:ipc-await-rw-keeps-record */
    if (to_read && s->reading == 0 && fw_ipc_rw_task_withdraw_(&s->records))
        sleeper = leave(s);
    if (sleeper != NULL)
        fw_ipc_wake_(sleeper, FW_FUTEX_ALL);
    tidy(b, s);
}

/* --- Coming in -------------------------------------------------------------------------------- */

void fw_shares_come_in_(struct fw_shares_ *s, fw_await *op)
{
    add(s, op->kept_);
    op->kept_ = NULL;
}

/* Inside the bucket.  Those that wait for it in any loop.  True: there may be more. */
static bool let_in_some(struct fw_region_bucket_ *b, struct fw_shares_ *s,
                        struct fw_wakeups_ *wakeups)
{
    for (struct fw_watch_ *w = b->first; w != NULL; w = w->next_in_bucket) {
        fw_await *op;
        if (w->object != s->lock || w->number != FW_TARGET_READ_)
            continue;
        while ((op = w->queue.first) != NULL) {
            if (fw_watch_has_lost_(w, op)) {
                fw_watch_emptied_(w);
                continue;
            }
            fw_shares_come_in_(s, op);
            fw_watch_take_out_(w, op);
            fw_watch_emptied_(w);
            if (!fw_wakeups_add_(wakeups, fw_operation_deliver_(op, 0)))
                return true;
        }
    }
    return false;
}

void fw_shares_let_in_(struct fw_region_bucket_ *b, struct fw_shares_ *s)
{
    struct fw_wakeups_ wakeups = {.n = 0};
    const uint32_t *sleeper;

    s->readers++; /* no task's: `held` stays */
    while (let_in_some(b, s, &wakeups)) {
        fw_region_bucket_unlock_(b);
        fw_wakeups_(&wakeups);
        wakeups.n = 0;
        b = fw_region_bucket_lock_(s->lock);
    }
    s->readers--;
    sleeper = leave(s);
    tidy(b, s);
    fw_region_bucket_unlock_(b);
    fw_wakeups_(&wakeups);
    if (sleeper != NULL)
        fw_ipc_wake_(sleeper, FW_FUTEX_ALL);
}

int fw_shares_leave_(fw_ipc_rwlock *l, fw_task task)
{
    struct fw_region_bucket_ *b = fw_region_bucket_lock_(l);
    struct fw_shares_ *s = fw_shares_of_(b, l);
    struct fw_share_hold_ **at = s != NULL ? find_hold(s, task) : NULL, *h;
    const struct fw_ipc_mapping_ *mapping;
    const uint32_t *sleeper;

    if (at == NULL || *at == NULL) {
        fw_region_bucket_unlock_(b);
        return EPERM;
    }
    h = *at;
    if (--h->n == 0)
        *at = h->next;
    else
        h = NULL;
    s->readers--;
    sleeper = leave(s);
    mapping = s->records.mapping;
    tidy(b, s);
    fw_region_bucket_unlock_(b);
    fw_share_hold_free_(h);
    if (sleeper != NULL) /* F:ipc-await-rw-leaves-quietly */
        fw_ipc_wake_(sleeper, FW_FUTEX_ALL);
    fw_ipc_agent_unuse_(mapping);
    return 0;
}

int fw_shares_stop_writing_(fw_ipc_rwlock *l, fw_task task)
{
    struct fw_region_bucket_ *b = fw_region_bucket_lock_(l);
    struct fw_shares_ *s = fw_shares_of_(b, l);
    bool was_writer = s != NULL && s->writer == task;

    if (was_writer) {
        s->writer = 0;
        tidy(b, s);
    }
    fw_region_bucket_unlock_(b);
    return was_writer ? 0 : EPERM;
}
