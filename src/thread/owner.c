/* SPDX-License-Identifier: MIT */
#include <furwock/brlock.h>
#include <furwock/mutex.h>
#include <furwock/rwlock.h>

#include "sys/thread.h"
#include "thread/brlock_lines.h"
#include "thread/mutex_word.h"
#include "thread/rwlock_word.h"

/*
 * Whether the caller is the owner of a lock.  What a lock bears is compared with what the caller
 * would write into it, and not with a thread id of the kernel's: at a fork the first stays.
 */

bool fw_mutex_is_held_by_me(const fw_mutex *m)
{
    return owner_half(fw_load64_relaxed(&m->state_)) == fw_self_(); /* which is never HANDOFF */
}

bool fw_rwlock_is_held_by_me(const fw_rwlock *l)
{
    fw_rw_word_ w = fw_load64_relaxed(&l->state_);

    return (rw_has_writer(w) || rw_has_upgradable(w)) && rw_owner(w) == fw_self_();
}

bool fw_brlock_is_held_by_me(const fw_brlock *l)
{
    return brlock_owner_of(fw_load32_relaxed(&l->owner_)) == fw_self_();
}
