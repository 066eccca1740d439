/* SPDX-License-Identifier: MIT */
#ifndef FW_RWLOCK_MISUSE_H
#define FW_RWLOCK_MISUSE_H

#include "sys/panic.h"
#include "thread/rwlock_word.h"

/* Errors in the program, which stop it: furwock/rwlock.h. */

__attribute__((cold)) static void refuse_reader(const fw_rwlock *l, fw_rw_word_ w, uint32_t id)
{
    if (rw_owner(w) == id && !rw_lets_readers_in(w))
        fw_panic_(rw_has_writer(w) ? "rwlock read-locked by its writer"
                                   : "rwlock read-locked again while a writer waits",
                  l, id, id);
}

__attribute__((cold)) static void refuse_holder(const fw_rwlock *l, fw_rw_word_ w, uint32_t id,
                                                const char *what)
{
    if (rw_owner(w) == id)
        fw_panic_(what, l, id, id);
}

static void check_writer(const fw_rwlock *l, fw_rw_word_ w, const char *what)
{
    if (!rw_has_writer(w) || rw_owner(w) != fw_self_())
        fw_panic_(what, l, fw_self_(), rw_owner(w));
}

static fw_rw_word_ check_upreader(const fw_rwlock *l, const char *what)
{
    fw_rw_word_ w = fw_load64_relaxed(&l->state_);

    if (!rw_has_upgradable(w) || rw_owner(w) != fw_self_())
        fw_panic_(what, l, fw_self_(), rw_owner(w));
    return w;
}

static fw_rw_word_ check_upgrade(const fw_rwlock *l)
{
    return check_upreader(l, "rwlock upgraded by a thread that does not hold it upgradable");
}

#endif
