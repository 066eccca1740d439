/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include <furwock/kernel.h>

#include "queue.h"

/*
 * DOWN and UP, LOCK and UNLOCK: words that threads change without the kernel as long as nobody
 * waits, and the kernel for those who do.  Franke, Russell, Kirkwood, section 3.1.1; Hart's
 * FUTEX_LOCK.  One engine for both: a protocol says what the word means.
 *
 *              FWK_COUNT (DOWN, UP)         FWK_OWNER (LOCK, UNLOCK)
 *   free       n > 0: n units               0
 *   held       0                            thread id
 *   contended  below 0                      thread id | WAITERS
 *
 *   free -> held        by anybody, in user space; or by DOWN and LOCK
 *   held -> free        by the owner, in user space; it fails if the word is contended
 *   held -> contended   by DOWN and LOCK, before they sleep
 *   contended -> free   by UP and UNLOCK; one waiter is woken, or all (RANDOM)
 *   contended -> held or contended   by UP and UNLOCK, if FAIR: the first waiter has it
 *
 * KA1  While somebody is queued the word is contended, or one that was woken (FWK_WOKEN) has yet to
 *      look at it, in fwk_acquire() or fwk_acquire_end(); either makes it contended if others
 *      are queued.  So a release in user space overlooks nobody for good.
 * KA2  A waiter that was granted the word (FWK_GRANTED) has it, also if its deadline or a signal
 *      came too.
 * KA3  If a unit is left when one is taken and others are queued, the next is woken.
 *
 * Legal: contended while nobody is queued (a call that finds nobody).
 * Illegal: held or free for good while somebody is queued and nobody is on its way (KA1).
 *
 * The word is user space's and may be anything, at any time: what a program does to its own word it
 * does to its own threads; a loop here has an end whatever is written meanwhile.
 */

enum { TRIES = 16 }; /* of a swap, under the lock; then the caller may be interrupted */

static bool count_is_free(u32 v)
{
    return (s32)v > 0;
}

static u32 count_taken(u32 v, u32 self, bool has_others)
{
    (void)self;
    return v == 1 && has_others ? (u32)-1 : v - 1;
}

static u32 count_contended(u32 v)
{
    return v == 0 ? (u32)-1 : v;
}

static u32 count_released(u32 v)
{
    return count_is_free(v) ? v + 1 : 1;
}

static u32 count_granted(u32 v, u32 next, bool has_others)
{
    (void)next;
    if (count_is_free(v))
        return v;
    return has_others ? (u32)-1 : 0;
}

static const struct fwk_protocol count = {
    .is_free = count_is_free,
    .taken = count_taken,
    .contended = count_contended,
    .released = count_released,
    .granted = count_granted,
    .most = 0x7fffffff,
};

static bool owner_is_free(u32 v)
{
    return (v & FW_KERNEL_OWNER) == 0;
}

static u32 owner_taken(u32 v, u32 self, bool has_others)
{
    (void)v;
    return has_others ? self | FW_KERNEL_WAITERS : self;
}

static u32 owner_contended(u32 v)
{
    return v | FW_KERNEL_WAITERS;
}

static u32 owner_released(u32 v)
{
    (void)v;
    return 0;
}

static u32 owner_granted(u32 v, u32 next, bool has_others)
{
    return owner_taken(v, next, has_others);
}

static bool owner_is_owner(u32 v, u32 self)
{
    return (v & FW_KERNEL_OWNER) == self;
}

static const struct fwk_protocol owner = {
    .is_free = owner_is_free,
    .taken = owner_taken,
    .contended = owner_contended,
    .released = owner_released,
    .granted = owner_granted,
    .is_owner = owner_is_owner,
};

const struct fwk_protocol *fwk_protocol_of(u64 kind)
{
    return kind == FWK_OWNER ? &owner : &count;
}

/* One look at the word, with what follows from it, under the lock.  -EAGAIN: it has changed. */
static int try_once(struct fwk_bucket *b, struct fwk_waiter *w, const struct fwk_acquire *a,
                    bool may_queue, struct fwk_batch *batch)
{
    const struct fwk_protocol *p = a->protocol;
    struct fwk_waiter *first = fwk_first(b, NULL, &w->key, b->tickets);
    u32 v = 0, seen, next;
    bool is_free, is_dead;
    int error = fwk_word_read(a->word, &v);

    if (error != 0)
        return error;
    if (p->is_owner != NULL && p->is_owner(v, (u32)w->self))
        return -EDEADLK;
    is_dead = a->dead != 0 && p->is_owner != NULL && p->is_owner(v, a->dead);
    is_free = p->is_free(v);
    if (is_free || is_dead)
        next = p->taken(v, (u32)w->self, first != NULL); /* KA1  F:kmod-takes-blind */
    else if (may_queue || first != NULL)                 /* F:kmod-leaves-blind */
        next = p->contended(v);                          /* KA1  F:kmod-queues-blind */
    else
        next = v;
    if (next != v) {
        error = fwk_word_swap(a->word, &seen, v, next);
        if (error != 0 || seen != v)
            return error != 0 ? error : -EAGAIN;
    }
    if (is_free || is_dead) {
        if (first != NULL && p->is_free(next)) /* KA3 */
            fwk_let_go(first, FWK_WOKEN, batch);
        return is_free ? FWK_TAKEN : FWK_TAKEN_DEAD;
    }
    if (!may_queue)
        return FWK_BUSY;
    fwk_enqueue(b, w);
    return FWK_QUEUED;
}

static int acquire(struct fwk_table *t, struct fwk_waiter *w, const struct fwk_acquire *a,
                   bool may_queue)
{
    struct fwk_bucket *b = fwk_bucket_of(t, &w->key);
    struct fwk_batch batch;
    int result = -EAGAIN;

    batch.tasks = batch.holds = 0;
    fwk_spin_lock(&b->lock);
    for (u32 i = 0; i < TRIES && result == -EAGAIN; i++)
        result = try_once(b, w, a, may_queue, &batch);
    fwk_spin_unlock(&b->lock);
    fwk_batch_flush(&batch);
    return result;
}

int fwk_acquire(struct fwk_table *t, struct fwk_waiter *w, const struct fwk_acquire *a)
{
    return acquire(t, w, a, true);
}

int fwk_acquire_end(struct fwk_table *t, struct fwk_waiter *w, const struct fwk_acquire *a)
{
    int result = -EAGAIN;

    if (fwk_unqueue(w) || w->outcome == FWK_NONE)
        return FWK_BUSY;
    if (w->outcome == FWK_GRANTED) /* KA2 */
        return FWK_TAKEN;
    for (u32 i = 0; i < TRIES && result == -EAGAIN; i++)
        result = acquire(t, w, a, false);
    if (result < 0)
        fwk_wake(t, &w->key, 1); /* let another look */
    return result;
}

/* The word as it shall be; 0, and it is.  -EAGAIN: it has changed. */
static int release_once(const struct fwk_release *r, struct fwk_bucket *b, struct fwk_waiter *first)
{
    const struct fwk_protocol *p = r->protocol;
    struct fwk_waiter *behind = NULL;
    u32 v = 0, seen, next;
    int error = fwk_word_read(r->word, &v);

    if (error != 0)
        return error;
    if (p->is_owner != NULL && !p->is_owner(v, r->self))
        return -EPERM;
    if (first == NULL || r->policy != FWK_FAIR) {
        if (p->most != 0 && v == p->most)
            return -EOVERFLOW;
        next = p->released(v);
    } else {
        behind = fwk_next(b, first);
        if (behind != NULL)
            behind = fwk_first(b, behind, r->key, b->tickets);
        next = p->granted(v, (u32)first->self, behind != NULL); /* F:kmod-grants-blind */
    }
    if (next == v)
        return 0;
    error = fwk_word_swap(r->word, &seen, v, next);
    if (error != 0)
        return error;
    return seen == v ? 0 : -EAGAIN;
}

long fwk_release(struct fwk_table *t, const struct fwk_release *r)
{
    struct fwk_bucket *b = fwk_bucket_of(t, r->key);
    struct fwk_waiter *first;
    struct fwk_batch batch;
    long n = -EAGAIN;

    batch.tasks = batch.holds = 0;
    fwk_spin_lock(&b->lock);
    first = fwk_first(b, NULL, r->key, b->tickets);
    for (u32 i = 0; i < TRIES && n == -EAGAIN; i++)
        n = release_once(r, b, first);
    if (n == 0)
        n = fwk_let_go_all(b, r->key, r->policy == FWK_RANDOM ? FW_KERNEL_ALL : 1, b->tickets,
                           r->policy == FWK_FAIR ? FWK_GRANTED : FWK_WOKEN, &batch);
    fwk_spin_unlock(&b->lock);
    fwk_batch_flush(&batch);
    return n;
}
