/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include "queue.h"

/*
 * WAIT, WAKE, REQUEUE: Franke, Russell, Kirkwood, section 3.1.3; Molnar's futex-requeue.
 *
 * KW1  The word is compared under the lock of the bucket into which the waiter goes.  So a wake
 *      that follows a change of the word finds every waiter that has seen the word as it was
 *      before.
 * KW2  Of a wake or requeue of many, those have part that were queued when it began: whoever comes
 *      back to the queue meanwhile is not served twice, and the call ends.
 */

int fwk_wait(struct fwk_table *t, struct fwk_waiter *w, fwk_word word, u32 expected)
{
    struct fwk_bucket *b = fwk_bucket_of(t, &w->key);
    u32 seen = 0;
    int error;

    fwk_spin_lock(&b->lock);
    error = fwk_word_read(word, &seen); /* KW1  F:kmod-reads-early */
    if (error == 0 && seen != expected)
        error = -EAGAIN;
    if (error == 0)
        fwk_enqueue(b, w);
    fwk_spin_unlock(&b->lock);
    return error;
}

u32 fwk_wake(struct fwk_table *t, const struct fwk_key *key, u32 most)
{
    struct fwk_bucket *b = fwk_bucket_of(t, key);
    struct fwk_batch batch;
    u32 n;

    batch.tasks = batch.holds = 0;
    fwk_spin_lock(&b->lock);
    n = fwk_let_go_all(b, key, most, b->tickets, FWK_WOKEN, &batch);
    fwk_spin_unlock(&b->lock);
    fwk_batch_flush(&batch);
    return n;
}

/* In the order of their addresses. */
static void lock_both(struct fwk_bucket *a, struct fwk_bucket *b) FWK_LOCKS(a) FWK_LOCKS(b)
{
    fwk_spin_lock(a < b ? &a->lock : &b->lock);
    if (a != b)
        fwk_spin_lock_second(a < b ? &b->lock : &a->lock);
    else
        FWK_COUNTS_AS_LOCKED(b);
}

static void unlock_both(struct fwk_bucket *a, struct fwk_bucket *b) FWK_UNLOCKS(a) FWK_UNLOCKS(b)
{
    fwk_spin_unlock(&a->lock);
    if (a != b)
        fwk_spin_unlock(&b->lock);
    else
        FWK_COUNTS_AS_UNLOCKED(b);
}

/* Behind those that wait there; it keeps alive what it waits for, in the place of what it waited
 * for before. */
static void move(struct fwk_waiter *w, struct fwk_bucket *to, const struct fwk_key *key,
                 struct fwk_batch *batch)
{
    fwk_dequeue(w);
    fwk_hold_take(&key->hold);
    batch->hold[batch->holds++] = w->key.hold;
    w->key = *key;
    w->ticket = 0;
    fwk_enqueue(to, w);
}

/* What a full batch has room for; returns true if there may be more to do. */
static bool requeue_some(struct fwk_bucket *a, struct fwk_bucket *b, const struct fwk_requeue *r,
                         u64 last, u32 *left_to_wake, u32 *left_to_move, struct fwk_batch *batch)
{
    struct fwk_waiter *w = NULL, *next;

    while (*left_to_wake + *left_to_move > 0 && (w = fwk_first(a, w, r->from, last)) != NULL) {
        if (fwk_batch_is_full(batch))
            return true;
        next = fwk_next(a, w);
        if (*left_to_wake > 0) {
            fwk_let_go(w, FWK_WOKEN, batch);
            --*left_to_wake;
        } else {
            move(w, b, r->to, batch);
            --*left_to_move;
        }
        if (next == NULL)
            return false;
        w = next;
    }
    return false;
}

long fwk_requeue(struct fwk_table *t, const struct fwk_requeue *r)
{
    struct fwk_bucket *a = fwk_bucket_of(t, r->from), *b = fwk_bucket_of(t, r->to);
    u32 left_to_wake = r->wake, left_to_move = r->move, seen = 0;
    struct fwk_batch batch;
    bool has_more;
    int error = 0;
    u64 last;

    batch.tasks = batch.holds = 0;
    lock_both(a, b);
    if (r->compares)
        error = fwk_word_read(r->word, &seen);
    if (error == 0 && r->compares && seen != r->expected)
        error = -EAGAIN;
    last = a->tickets;
    has_more = error == 0;
    while (has_more) {
        has_more = requeue_some(a, b, r, last, &left_to_wake, &left_to_move, &batch);
        if (has_more) {
            unlock_both(a, b);
            fwk_batch_flush(&batch);
            lock_both(a, b);
        }
    }
    unlock_both(a, b);
    fwk_batch_flush(&batch);
    return error != 0 ? error : (long)(r->wake - left_to_wake) + (long)(r->move - left_to_move);
}
