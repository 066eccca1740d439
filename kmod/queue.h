/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FWK_QUEUE_H
#define FWK_QUEUE_H

#include "core.h"

/* Of core.c, acquire.c and sem.c: buckets and what is in them.  All under the bucket's lock. */

#define FWK_OF(type, member, link) ((type *)(void *)((char *)(link)-offsetof(type, member)))

static inline void fwk_link_init(struct fwk_link *head)
{
    head->next = head->prev = head;
}

static inline void fwk_link_before(struct fwk_link *at, struct fwk_link *l)
{
    l->prev = at->prev;
    l->next = at;
    at->prev->next = l;
    at->prev = l;
}

static inline void fwk_link_remove(struct fwk_link *l)
{
    l->prev->next = l->next;
    l->next->prev = l->prev;
    fwk_link_init(l);
}

static inline bool fwk_key_is(const struct fwk_key *a, const struct fwk_key *b)
{
    return a->object == b->object && a->offset == b->offset && a->kind == b->kind;
}

struct fwk_bucket *fwk_bucket_of(const struct fwk_table *t, const struct fwk_key *key);

/* Behind those of its priority; one that has a ticket, where it was. */
void fwk_enqueue(struct fwk_bucket *b, struct fwk_waiter *w);
void fwk_dequeue(struct fwk_waiter *w);

/*
 * The first waiter for the key from `from` on (NULL: from the beginning) whose ticket is not above
 * `last`; or NULL.
 */
struct fwk_waiter *fwk_first(struct fwk_bucket *b, struct fwk_waiter *from,
                             const struct fwk_key *key, u64 last);

/* The waiter behind it, of any key; or NULL. */
struct fwk_waiter *fwk_next(struct fwk_bucket *b, struct fwk_waiter *w);

/* What is done when the locks are released. */
enum { FWK_BATCH = 16 };
struct fwk_batch {
    u32 tasks, holds;
    fwk_task *task[FWK_BATCH];
    struct fwk_hold hold[FWK_BATCH];
};

static inline bool fwk_batch_is_full(const struct fwk_batch *batch)
{
    return batch->tasks == FWK_BATCH || batch->holds == FWK_BATCH;
}

/* Under no lock. */
void fwk_batch_flush(struct fwk_batch *batch);

/* Out of its queue, which is the last that is seen of it here. */
void fwk_let_go(struct fwk_waiter *w, enum fwk_outcome outcome, struct fwk_batch *batch);

/*
 * Lets go up to `most` waiters for the key that have come by `last`, and returns how many.  The
 * lock is held before and after, but may be free meanwhile.
 */
u32 fwk_let_go_all(struct fwk_bucket *b, const struct fwk_key *key, u32 most, u64 last,
                   enum fwk_outcome outcome, struct fwk_batch *batch);

#endif
