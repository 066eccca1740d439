/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FWK_SHIM_H
#define FWK_SHIM_H

#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uaccess.h>

#include <asm/futex.h>

/* What the core needs from outside, in the kernel.  user/shim.h has it for programs. */

typedef u32 __user *fwk_word;
typedef spinlock_t fwk_spin;
typedef struct task_struct fwk_task;

#define fwk_spin_init(lock) spin_lock_init(lock)
#define fwk_spin_lock(lock) spin_lock(lock)
#define fwk_spin_lock_second(lock) spin_lock_nested(lock, SINGLE_DEPTH_NESTING)
#define fwk_spin_unlock(lock) spin_unlock(lock)

#define fwk_load_relaxed(p) READ_ONCE(*(p))
#define fwk_load_acquire(p) smp_load_acquire(p)
#define fwk_store_relaxed(p, v) WRITE_ONCE(*(p), v)
#define fwk_store_release(p, v) smp_store_release(p, v)

/*
 * Reads, and swaps if it is `old`, without sleeping: -EFAULT if the memory has to be fetched first,
 * which the caller does outside of all locks, and -EAGAIN if another attempt may succeed.  *seen is
 * what the word was.
 */
static inline int fwk_word_read(fwk_word w, u32 *seen)
{
    int error;

    pagefault_disable();
    error = __get_user(*seen, w); /* its address was checked: fwk_word_at() */
    pagefault_enable();
    return error != 0 ? -EFAULT : 0;
}

static inline int fwk_word_swap(fwk_word w, u32 *seen, u32 old, u32 new)
{
    int error;

    pagefault_disable();
    error = futex_atomic_cmpxchg_inatomic(seen, w, old, new);
    pagefault_enable();
    return error;
}

static inline void fwk_task_hold(fwk_task *t)
{
    get_task_struct(t);
}

static inline void fwk_task_wake(fwk_task *t)
{
    wake_up_process(t);
    put_task_struct(t);
}

#endif
