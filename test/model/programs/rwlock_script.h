/* SPDX-License-Identifier: MIT */
#ifndef MODEL_RWLOCK_SCRIPT_H
#define MODEL_RWLOCK_SCRIPT_H

#include "../engine/model.h"
#include "rwlock_check.h"

/*
 * Each thread of a read-write lock program follows a script, a list of words:
 *
 *   read, write, up                          takes the lock so (blocking)
 *   spin-read, spin-write                    the same, never sleeping
 *   default-read, default-write              the inline calls, with the default policy
 *   timed-read, timed-write, timed-up, try-read, try-write, try-up
 *   real-write                               the deadline is on CLOCK_REALTIME
 *   upgrade, timed-upgrade, try-upgrade      where it reads upgradable
 *   downgrade, downgrade-up                  where it may
 *   again                                    reads once more, and gives that up
 *   unlock, unlock-any                       by the call for the mode; by the one for all
 *   leave                                    the same; a writer that is the last of all threads
 *                                            frees the lock then
 *
 *   turn                                     sleeps until its turn, which comes at any moment
 *   spin                                     runs until somebody has said `done`, or one of
 *                                            priority 0 has the lock, which does not inherit,
 *                                            or is inside its bucket
 *   done                                     says so
 *
 * Words that do not fit what the thread has are skipped.
 */
struct rwlock_script {
    fw_rwlock_kind kind;
    uint64_t state, line; /* to begin with */
    bool is_stale;        /* nobody knows how urgent it is before it sleeps */
};

extern const struct model_hooks rwlock_hooks;

#endif
