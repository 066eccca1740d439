/* SPDX-License-Identifier: MIT */
#ifndef MODEL_SEM_SCRIPT_H
#define MODEL_SEM_SCRIPT_H

#include "../engine/model.h"

/*
 * Each thread of a semaphore program follows a script, a list of words:
 *
 *   wait, timed, poll, default   takes a unit of s: blocking, until it times out, never
 *                                sleeping, with the default policy
 *   posix, posix-timed           the same as sem_wait has it: EINTR, and a cancellation point
 *   try                          takes one if there is one
 *   posix-try                    the same as sem_trywait has it: also one that is reserved
 *   post, post2                  adds one, two
 *   wait-t, post-t               the same with a second semaphore
 *   any, any-timed               waits for s or t
 *   pass, pass-timed             waits for the event
 *   any-e                        waits for the event or s
 *   set, reset                   the event
 *   free                         frees s and the event
 *
 * At every change: the words say what permits_word.h allows, and who is to be woken is being woken.
 * In the end: no unit was lost or made up; nobody sleeps beside a unit; who is not there is not
 * counted.
 */
struct sem_script {
    uint64_t s, t;  /* the words at the start */
    uint32_t max;   /* of s; 0: none */
    uint32_t luck;  /* of s; not 0: so many waits with the default policy sleep at once */
    bool automatic; /* the event */
    bool may_pass;  /* a reserved unit may be taken by another */
};

extern const struct model_hooks sem_hooks;

#endif
