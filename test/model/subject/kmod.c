/* SPDX-License-Identifier: MIT */
/*
 * What the core of the kernel module needs (kmod/user/shim.h): its locks are waiting buckets of the
 * engine's, a task sleeps on the count of its wakes, and a word is read and swapped in one step.
 */
#include <furwock/futex.h>

#include "../engine/model.h"
#include "kmod/core.h"

void fwk_spin_init(fwk_spin *lock)
{
    lock->held = 0;
}

void fwk_spin_lock(fwk_spin *lock)
{
    model_op(OP_ENTER, &lock->held, 8, 0, 0, 0, 0);
}

void fwk_spin_lock_second(fwk_spin *lock)
{
    model_op(OP_ENTER, &lock->held, 8, 0, 0, 0, 0);
}

void fwk_spin_unlock(fwk_spin *lock)
{
    model_op(OP_LEAVE, &lock->held, 8, 0, 0, 0, 0);
}

int fwk_word_read(fwk_word w, u32 *seen)
{
    *seen = fw_load32_relaxed(w);
    return 0;
}

int fwk_word_swap(fwk_word w, u32 *seen, u32 old, u32 new_value)
{
    *seen = old;
    fw_cas32_acquire(w, seen, new_value);
    return 0;
}

void fwk_task_hold(fwk_task *t)
{
    (void)t;
}

void fwk_task_wake(fwk_task *t)
{
    fw_add32_release(&t->woken, 1);
    fw_futex_wake(&t->woken, 1, FW_FUTEX_SHARED);
}

/* Objects do not go here. */
void fwk_hold_take(const struct fwk_hold *hold)
{
    (void)hold;
}

void fwk_hold_release(const struct fwk_hold *hold)
{
    (void)hold;
}
