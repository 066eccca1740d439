/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include <linux/slab.h>

#include "module.h"

/*
 * SEM_DOWN and SEM_UP around sem.c: where the memory of a semaphore with units comes from, whom it
 * is charged to, and when it is forgotten.
 *
 *   made       by SEM_UP; charged to its user; in a bucket, and in the user's list
 *   taken out  of the bucket, by the SEM_DOWN that takes the last unit, or by the last close of the
 *              user's descriptors; whoever does that takes it out of the list, and frees it
 */
struct token {
    struct fwk_sem sem;
    struct fwk_user *user;
    struct list_head link;
};

enum { SEMAPHORES = 4 };

static void token_free(struct token *token)
{
    fwk_hold_release(&token->sem.key.hold);
    fwk_user_uncharge(token->user);
    fwk_user_release(token->user);
    kfree(token);
}

static void token_end(struct fwk_sem *sem)
{
    struct token *token = container_of(sem, struct token, sem);

    mutex_lock(&token->user->lock);
    list_del(&token->link);
    mutex_unlock(&token->user->lock);
    token_free(token);
}

static u64 kind_of(u32 number)
{
    return FWK_SEM | (u64)number << FWK_KIND_BITS;
}

long fwk_do_sem_down(const struct fw_kernel_wait *call)
{
    struct fwk_deadline deadline;
    struct fwk_sem *gone;
    struct fwk_waiter w;
    long error;

    if ((call->flags & ~(FWK_KEY_FLAGS | FW_KERNEL_REALTIME)) != 0 ||
        call->expected >= SEMAPHORES || fwk_waiter_init(&w, call->lower) != 0)
        return -EINVAL;
    error = fwk_key_make(&w.key, call->word, call->flags, kind_of(call->expected), true);
    if (error != 0)
        return error;
    if (fwk_sem_down(&fwk_table, &w, &gone) == FWK_QUEUED) {
        fwk_deadline_start(&deadline, call);
        error = fwk_sleep(&w, &deadline, 0);
        if (error != 0 && !fwk_unqueue(&w))
            error = 0; /* it has a unit */
        fwk_deadline_end(&deadline);
    }
    if (gone != NULL)
        token_end(gone);
    fwk_hold_release(&w.key.hold);
    return error;
}

/* For a semaphore of this key, in the user's list. */
static long token_make(struct fwk_user *user, const struct fwk_key *key, struct fwk_sem **made)
{
    struct token *token;
    long error = fwk_user_charge(user);

    if (error != 0)
        return error;
    token = kzalloc(sizeof *token, GFP_KERNEL_ACCOUNT);
    if (token == NULL) {
        fwk_user_uncharge(user);
        return -ENOMEM;
    }
    token->user = fwk_user_hold(user);
    token->sem.key = *key;
    fwk_hold_take(&key->hold);
    fwk_sem_init(&token->sem);
    mutex_lock(&user->lock);
    list_add(&token->link, &user->sems);
    mutex_unlock(&user->lock);
    *made = &token->sem;
    return 0;
}

long fwk_do_sem_up(struct fwk_user *user, const struct fw_kernel_wake *call)
{
    struct fwk_sem *spare = NULL;
    u32 units = call->count;
    struct fwk_key key;
    long n, error;

    if ((call->flags & ~FWK_KEY_FLAGS) != 0 || call->number >= SEMAPHORES || units == 0 ||
        units > FW_KERNEL_ALL)
        return -EINVAL;
    error = fwk_key_make(&key, call->word, call->flags, kind_of(call->number), true);
    if (error != 0)
        return error;
    n = fwk_sem_up(&fwk_table, &key, &units, &spare);
    if (n >= 0 && units > 0) {
        error = token_make(user, &key, &spare);
        if (error == 0) {
            long more = fwk_sem_up(&fwk_table, &key, &units, &spare);

            n = more < 0 ? more : n + more;
        }
        if (spare != NULL)
            token_end(spare);
    }
    fwk_hold_release(&key.hold);
    return error != 0 ? error : n;
}

/* Those that somebody is about to free are left to it. */
void fwk_user_forget_sems(struct fwk_user *user)
{
    struct token *token, *next;
    LIST_HEAD(forgotten);

    mutex_lock(&user->lock);
    list_for_each_entry_safe(token, next, &user->sems,
                             link) if (fwk_sem_forget(&fwk_table, &token->sem))
        list_move(&token->link, &forgotten);
    mutex_unlock(&user->lock);
    list_for_each_entry_safe(token, next, &forgotten, link) token_free(token);
}
