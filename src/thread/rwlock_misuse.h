/* SPDX-License-Identifier: MIT */
#ifndef FW_RWLOCK_MISUSE_H
#define FW_RWLOCK_MISUSE_H

#include <errno.h>

#include "sys/panic.h"
#include "thread/mode.h"
#include "thread/rwlock_word.h"

/* Errors in the program, which stop it in checked mode: furwock/rwlock.h. */

__attribute__((cold)) static void refuse_holder(const fw_rwlock *l, fw_rw_word_ w, uint32_t id,
                                                const char *what)
{
    if (rw_owner(w) == id)
        fw_panic_(what, l, id, id);
}

/* In POSIX mode only a writer is told, for it would wait for itself: EDEADLK. */
static int refuse_writer(fw_rw_word_ w, uint32_t id)
{
    return rw_has_writer(w) && rw_owner(w) == id ? EDEADLK : 0;
}

__attribute__((cold)) static int check_before_read(const fw_rwlock *l, fw_rw_word_ w, uint32_t id,
                                                   enum fw_mode_ mode)
{
    if (mode == FW_MODE_POSIX)
        return refuse_writer(w, id);
    if (!rw_lets_readers_in(w))
        refuse_holder(l, w, id,
                      rw_has_writer(w) ? "rwlock read-locked by its writer"
                                       : "rwlock read-locked again while a writer waits");
    return 0;
}

__attribute__((cold)) static int check_before_write(const fw_rwlock *l, fw_rw_word_ w, uint32_t id,
                                                    enum fw_mode_ mode)
{
    if (mode == FW_MODE_POSIX)
        return refuse_writer(w, id);
    refuse_holder(l, w, id, "rwlock write-locked by a thread that holds it");
    return 0;
}

/* In POSIX mode a release of a free lock is none. */
static inline void refuse_nobody(const fw_rwlock *l, fw_rw_word_ w, uint32_t id, enum fw_mode_ mode)
{
    if (mode == FW_MODE_CHECKED)
        fw_panic_("rwlock read-unlocked, and nobody reads", l, id, rw_owner(w));
}

static inline void check_writer(const fw_rwlock *l, fw_rw_word_ w, const char *what)
{
    if (!rw_has_writer(w) || rw_owner(w) != fw_self_())
        fw_panic_(what, l, fw_self_(), rw_owner(w));
}

static inline fw_rw_word_ check_upreader(const fw_rwlock *l, const char *what)
{
    fw_rw_word_ w = fw_load64_relaxed(&l->state_);

    if (!rw_has_upgradable(w) || rw_owner(w) != fw_self_())
        fw_panic_(what, l, fw_self_(), rw_owner(w));
    return w;
}

static inline fw_rw_word_ check_upgrade(const fw_rwlock *l)
{
    return check_upreader(l, "rwlock upgraded by a thread that does not hold it upgradable");
}

#endif
