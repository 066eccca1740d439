/* SPDX-License-Identifier: MIT */
#ifndef FW_MUTEX_RELEASE_H
#define FW_MUTEX_RELEASE_H

#include <stdbool.h>

#include "core/thread_state.h"
#include "sys/slice.h"
#include "thread/mutex_word.h"

/* What a release makes of the word of an fw_mutex.  States and invariants: mutex.c. */

/* One in this many releases without a waiter goes back to the plain one: doc/design/mutex.md. */
#define QUIET_RELEASES 1024u

/* What a release of w leaves, without the owner.  With waiters, QUEUED stays as it is. */
static inline fw_mutex_word_ fw_mutex_left_(const fw_mutex *m, fw_mutex_word_ w, bool fair)
{
    if (!has_waiters(w)) /* F:passes-to-nobody */
        return fw_one_in_(QUIET_RELEASES) ? 0
                                          : with_owner(w, 0) & (MUTEX_FENCED | MUTEX_GENERATION);
    if (fw_is_overdue_(m, wake_is_under_way(w)))
        fair = true;
    if (fair || is_starving(w)) /* F:unfair */
        return with_owner(with_wake(w) & ~MUTEX_STARVING,
                          MUTEX_HANDOFF | fw_serial_() << FW_ID_SHIFT | FW_ID_HELD);
    return with_owner(wakes_nobody(w) ? w : with_wake(w), 0); /* F:forgets-waking */
}

#endif
