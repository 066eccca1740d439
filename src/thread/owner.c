/* SPDX-License-Identifier: MIT */
#include <furwock/brlock.h>
#include <furwock/mutex.h>
#include <furwock/rwlock.h>

#include "sys/panic.h"
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

static void refuse(const char *what, const void *lock, uint32_t owner)
{
    fw_panic_(what, lock, fw_self_(), owner);
}

void fw_mutex_assert_held(const fw_mutex *m)
{
    fw_mutex_word_ w = fw_load64_relaxed(&m->state_);

    if (!fw_mutex_is_held_by_me(m))
        refuse("mutex is not held by the caller", m,
               is_being_handed_off(w) || owner_half(w) == FW_ID_HELD ? 0 : owner_half(w));
}

/* Of a lock that nobody writes: one of the readers, or 0 (unknown). */
static void refuse_rwlock(const char *what, const fw_rwlock *l)
{
    refuse(what, l, rw_owner(fw_load64_relaxed(&l->state_)));
}

void fw_rwlock_assert_held(const fw_rwlock *l)
{
    if (!fw_rwlock_is_held_by_me(l))
        refuse_rwlock("read-write lock is not held for writing by the caller", l);
}

void fw_rwlock_assert_rdheld(const fw_rwlock *l)
{
    if (!rw_has_readers(fw_load64_relaxed(&l->state_)) && !fw_rwlock_is_held_by_me(l))
        refuse_rwlock("read-write lock is not held for reading", l);
}

void fw_brlock_assert_held(const fw_brlock *l)
{
    if (!fw_brlock_is_held_by_me(l))
        refuse("read-write lock is not held for writing by the caller", l,
               brlock_owner_of(fw_load32_relaxed(&l->owner_)));
}
