/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include "queue.h"

/*
 * The waiters of a bucket are one list, sorted by priority and then by ticket, as in Linux's plist:
 * a second list links the first of each priority, so that a waiter finds its place in as many steps
 * as there are different priorities, and those of one key are in order within it.
 *
 * KQ1  all: by (priority, ticket), each ticket once.
 * KQ2  classes: of each priority that is there, the first of all, in order.
 * KQ3  A waiter is in the bucket that its `bucket` names, under its key; `bucket` NULL: in none.
 * KQ4  `bucket` becomes NULL last: whoever has seen that may free the waiter.
 */

static struct fwk_waiter *of_all(struct fwk_link *l)
{
    return FWK_OF(struct fwk_waiter, all, l);
}

static struct fwk_waiter *of_class(struct fwk_link *l)
{
    return FWK_OF(struct fwk_waiter, class, l);
}

void fwk_bucket_init(struct fwk_bucket *b)
{
    fwk_spin_init(&b->lock);
    b->tickets = 0;
    fwk_link_init(&b->all);
    fwk_link_init(&b->classes);
    fwk_link_init(&b->sems);
}

/* 2^64 divided by the golden ratio: consecutive words spread over the buckets. */
struct fwk_bucket *fwk_bucket_of(const struct fwk_table *t, const struct fwk_key *key)
{
    u64 hash = (key->object >> 6) * 0x9e3779b97f4a7c15ull;

    hash = (hash ^ (hash >> 29) ^ (key->offset >> 2) ^ (key->kind << 32)) * 0x9e3779b97f4a7c15ull;
    return &t->buckets[hash >> 32 & t->mask];
}

void fwk_enqueue(struct fwk_bucket *b, struct fwk_waiter *w)
{
    struct fwk_link *c, *at = &b->all;
    struct fwk_waiter *class = NULL;

    if (w->ticket == 0)
        w->ticket = ++b->tickets;
    w->outcome = FWK_NONE;
    for (c = b->classes.next; c != &b->classes; c = c->next) {
        if (of_class(c)->priority > w->priority) {
            at = &of_class(c)->all;
            break;
        }
        if (of_class(c)->priority == w->priority)
            class = of_class(c);
    }
    /* One that returns passes those of its class that have come after it. */
    while (class != NULL && at != &class->all && of_all(at->prev)->ticket > w->ticket)
        at = at->prev;
    fwk_link_init(&w->class);
    fwk_link_before(at, &w->all);
    if (class == NULL) {
        fwk_link_before(c, &w->class);
    } else if (at == &class->all) {
        fwk_link_before(&class->class, &w->class);
        fwk_link_remove(&class->class);
    }
    fwk_store_relaxed(&w->bucket, b);
}

void fwk_dequeue(struct fwk_waiter *w)
{
    struct fwk_bucket *b = w->bucket;

    if (w->class.next != &w->class) {
        if (w->all.next != &b->all && of_all(w->all.next)->priority == w->priority)
            fwk_link_before(&w->class, &of_all(w->all.next)->class);
        fwk_link_remove(&w->class);
    }
    fwk_link_remove(&w->all);
}

struct fwk_waiter *fwk_next(struct fwk_bucket *b, struct fwk_waiter *w)
{
    return w->all.next == &b->all ? NULL : of_all(w->all.next);
}

struct fwk_waiter *fwk_first(struct fwk_bucket *b, struct fwk_waiter *from,
                             const struct fwk_key *key, u64 last)
{
    struct fwk_link *l = from == NULL ? b->all.next : &from->all;

    for (; l != &b->all; l = l->next)
        if (fwk_key_is(&of_all(l)->key, key) && of_all(l)->ticket <= last)
            return of_all(l);
    return NULL;
}

void fwk_batch_flush(struct fwk_batch *batch)
{
    for (u32 i = 0; i < batch->tasks; i++)
        fwk_task_wake(batch->task[i]);
    for (u32 i = 0; i < batch->holds; i++)
        fwk_hold_release(&batch->hold[i]);
    batch->tasks = batch->holds = 0;
}

/* KQ4: the waiter's frame may be gone once `bucket` is NULL, so its task is held before. */
void fwk_let_go(struct fwk_waiter *w, enum fwk_outcome outcome, struct fwk_batch *batch)
{
    fwk_dequeue(w);
    w->outcome = outcome;
    if (w->task != NULL) { /* F:kmod-gone-early */
        fwk_task_hold(w->task);
        batch->task[batch->tasks++] = w->task; /* F:kmod-wakes-nobody */
    } else {
        w->notify(w);
    }
    fwk_store_release(&w->bucket, NULL);
}

u32 fwk_let_go_all(struct fwk_bucket *b, const struct fwk_key *key, u32 most, u64 last,
                   enum fwk_outcome outcome, struct fwk_batch *batch)
{
    struct fwk_waiter *w = NULL, *next;
    u32 n = 0;

    for (; n < most && (w = fwk_first(b, w, key, last)) != NULL; w = next, n++) {
        next = fwk_next(b, w);
        if (most > 1)
            w->ticket = 0; /* KW2: it comes back as a new one */
        fwk_let_go(w, outcome, batch);
        if (fwk_batch_is_full(batch)) {
            fwk_spin_unlock(&b->lock);
            fwk_batch_flush(batch);
            fwk_spin_lock(&b->lock);
            next = NULL; /* whoever it was may have gone: from the beginning */
        } else if (next == NULL) {
            return n + 1;
        }
    }
    return n;
}

bool fwk_unqueue(struct fwk_waiter *w)
{
    struct fwk_bucket *b;

    while ((b = fwk_load_acquire(&w->bucket)) != NULL) {
        fwk_spin_lock(&b->lock);
        if (fwk_load_relaxed(&w->bucket) == b) { /* F:kmod-trusts-bucket */
            fwk_dequeue(w);
            fwk_store_relaxed(&w->bucket, NULL);
            fwk_spin_unlock(&b->lock);
            return true;
        }
        fwk_spin_unlock(&b->lock); /* it was moved meanwhile, or let go */
    }
    return false;
}
