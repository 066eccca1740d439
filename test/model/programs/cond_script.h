/* SPDX-License-Identifier: MIT */
#ifndef MODEL_COND_SCRIPT_H
#define MODEL_COND_SCRIPT_H

#include "../engine/model.h"
#include "cond_check.h"

/*
 * Each thread of a condition variable program follows a script, a list of words:
 *
 *   lock, unlock, fair   the mutex (blocking)
 *   wait                 waits until there is a token, and takes it (blocking policy)
 *   poll, default        the same, never sleeping; with the default policy
 *   timed                the same until it times out
 *   once, poll-once, timed-once    one wait, whatever it is for
 *   put                  makes a token
 *   signal, broadcast
 *   free                 frees the condition variable
 *   leave                like unlock; the last of all threads that comes here frees the mutex then
 *
 * And where all is loose, as in the drop-in:
 *
 *   foreign, foreign-once, foreign-timed    waits of one that cannot be moved to the mutex
 *   refused              the same, and its mutex is not released
 *   hand                 leaves the mutex locked, for another thread to release
 *   release              releases it, once it was left so
 */
struct cond_script {
    struct cond_check_options initial;
    bool loose;
    bool is_stale; /* nobody knows how urgent it is before it sleeps */
};

extern const struct model_hooks cond_hooks;

#endif
