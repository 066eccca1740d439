/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include "queue.h"

/*
 * The kernel semaphores of the ulocks: Franke, Russell, Kirkwood, section 3.  The count of a lock
 * is in user space; here are its queues.  One that is raised before the thread that it is for has
 * come down, a premature wake-up, keeps the unit as a token for it.
 *
 * KS1  A semaphore exists while it has units, and then nobody is queued for its key.
 */

static struct fwk_sem *find(struct fwk_bucket *b, const struct fwk_key *key)
{
    for (struct fwk_link *l = b->sems.next; l != &b->sems; l = l->next)
        if (fwk_key_is(&FWK_OF(struct fwk_sem, link, l)->key, key))
            return FWK_OF(struct fwk_sem, link, l);
    return NULL;
}

void fwk_sem_init(struct fwk_sem *sem)
{
    fwk_link_init(&sem->link);
    sem->units = 0;
}

int fwk_sem_down(struct fwk_table *t, struct fwk_waiter *w, struct fwk_sem **gone)
{
    struct fwk_bucket *b = fwk_bucket_of(t, &w->key);
    struct fwk_sem *sem;

    *gone = NULL;
    fwk_spin_lock(&b->lock);
    sem = find(b, &w->key);
    if (sem == NULL) { /* F:kmod-forgets-token */
        fwk_enqueue(b, w);
    } else if (--sem->units == 0) {
        fwk_link_remove(&sem->link);
        *gone = sem;
    }
    fwk_spin_unlock(&b->lock);
    return sem == NULL ? FWK_QUEUED : FWK_TAKEN;
}

long fwk_sem_up(struct fwk_table *t, const struct fwk_key *key, u32 *units, struct fwk_sem **spare)
{
    struct fwk_bucket *b = fwk_bucket_of(t, key);
    struct fwk_batch batch;
    struct fwk_sem *sem;
    long n = 0;

    batch.tasks = batch.holds = 0;
    fwk_spin_lock(&b->lock);
    n = fwk_let_go_all(b, key, *units, b->tickets, FWK_GRANTED, &batch);
    *units -= (u32)n;
    /* The lock may have been free for a moment: whoever came is served like the others. */
    while (*units > 0 && fwk_first(b, NULL, key, b->tickets) != NULL) {
        u32 more = fwk_let_go_all(b, key, *units, b->tickets, FWK_GRANTED, &batch);

        *units -= more;
        n += more;
    }
    sem = *units > 0 ? find(b, key) : NULL;
    if (sem != NULL && sem->units + *units > 0x7fffffff) {
        n = n > 0 ? n : -EOVERFLOW;
    } else if (sem != NULL) {
        sem->units += *units;
        *units = 0;
    } else if (*units > 0 && *spare != NULL) {
        (*spare)->units = *units;
        fwk_link_before(&b->sems, &(*spare)->link);
        *spare = NULL;
        *units = 0;
    }
    fwk_spin_unlock(&b->lock);
    fwk_batch_flush(&batch);
    return n;
}

bool fwk_sem_forget(struct fwk_table *t, struct fwk_sem *sem)
{
    struct fwk_bucket *b = fwk_bucket_of(t, &sem->key);
    bool is_there;

    fwk_spin_lock(&b->lock);
    is_there = sem->link.next != &sem->link;
    if (is_there)
        fwk_link_remove(&sem->link);
    fwk_spin_unlock(&b->lock);
    return is_there;
}
