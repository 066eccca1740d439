/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FWK_MODULE_H
#define FWK_MODULE_H

#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>

#include <furwock/kernel.h>

#include "core.h"

/* What the files of the module have of each other. */

extern struct fwk_table fwk_table;

/* --- main.c --------------------------------------------------------------------------------- */

/* Of all descriptors of a user: what it may have at a time, and what ends with the last of them. */
struct fwk_user {
    struct list_head link;
    kuid_t uid;
    refcount_t refs;
    u32 opens; /* under the lock of all users */
    atomic_t objects;
    struct mutex lock;
    struct list_head sems;
};

struct fwk_user *fwk_user_hold(struct fwk_user *user);
void fwk_user_release(struct fwk_user *user);

/* One more object of this user: -ENOSPC if it has as many as it may. */
int fwk_user_charge(struct fwk_user *user);
void fwk_user_uncharge(struct fwk_user *user);

/* A structure of user space's, as furwock/kernel.h has it.  -EFAULT, -EINVAL, -E2BIG. */
int fwk_take(void *to, size_t size, const void __user *from);

/* --- key.c ---------------------------------------------------------------------------------- */

/*
 * Names the word at the address and holds what names it: fwk_hold_release() ends that.  `writes`:
 * the caller needs the right to write it.  -EINVAL, -EFAULT, -EINTR.
 */
int fwk_key_make(struct fwk_key *key, u64 address, u32 flags, u64 kind, bool writes);
#define FWK_KEY_FLAGS (FW_KERNEL_PRIVATE | FW_KERNEL_PAGE)

static inline fwk_word fwk_word_at(u64 address)
{
    return (fwk_word)(unsigned long)address;
}

/* After an -EFAULT of the core: 0, and it may succeed now; -EFAULT; or a signal is pending. */
int fwk_fault_in(fwk_word word, bool writes);

/* --- wait.c --------------------------------------------------------------------------------- */

struct fwk_deadline {
    struct hrtimer_sleeper sleeper;
    bool is_set;
};

/* For the running thread.  -EINVAL: too low. */
int fwk_waiter_init(struct fwk_waiter *w, u32 lower);

void fwk_deadline_start(struct fwk_deadline *d, const struct fw_kernel_wait *call);
void fwk_deadline_end(struct fwk_deadline *d);

/*
 * 0: it has left its queue.  -ETIMEDOUT, -ERESTARTSYS; -EAGAIN: `slice`, a number of jiffies, is
 * over (0: it has no end).
 */
int fwk_sleep(struct fwk_waiter *w, struct fwk_deadline *d, long slice);

long fwk_do_wait(const struct fw_kernel_wait *call);
long fwk_do_wake(const struct fw_kernel_wake *call);
long fwk_do_requeue(const struct fw_kernel_requeue *call, bool compares);
long fwk_do_down(const struct fw_kernel_wait *call);
long fwk_do_up(const struct fw_kernel_wake *call);
long fwk_do_sem_down(const struct fw_kernel_wait *call);
long fwk_do_sem_up(struct fwk_user *user, const struct fw_kernel_wake *call);
void fwk_user_forget_sems(struct fwk_user *user);

/* --- lock.c --------------------------------------------------------------------------------- */

long fwk_do_lock(const struct fw_kernel_wait *call);
long fwk_do_unlock(const struct fw_kernel_wake *call);

/* What LOCK does besides what DOWN does; NULL: nothing. */
struct fwk_owner_rules {
    long slice; /* after which it looks at the owner again */
    /* Before it sleeps.  True: the caller has the word. */
    bool (*spin)(struct fwk_waiter *w, fwk_word word);
    u32 (*dead_owner)(fwk_word word); /* the thread id in the word, of a thread that is not there */
    bool is_adaptive;
};

/* wait.c: what DOWN and LOCK have in common. */
long fwk_do_acquire(const struct fw_kernel_wait *call, u64 kind,
                    const struct fwk_owner_rules *rules);
long fwk_do_release(const struct fw_kernel_wake *call, u64 kind);

/* --- await.c -------------------------------------------------------------------------------- */

long fwk_do_await_open(struct fwk_user *user, const struct fw_kernel_await *call);

#endif
