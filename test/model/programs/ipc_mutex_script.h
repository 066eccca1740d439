/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_MUTEX_SCRIPT_H
#define MODEL_IPC_MUTEX_SCRIPT_H

#include "script.h"

/*
 * The scripts of the programs for the mutex between processes.
 *
 *   lock    a section: waits for the mutex; after EOWNERDEAD repairs, and says so
 *   poll    the same, and never sleeps
 *   adapt   the same, asking who runs
 *   timed   the same, and gives up when it times out
 *   try     the same, where nobody holds the mutex
 *   lax     the same, and after EOWNERDEAD unlocks without a word: gives the mutex up
 *   exit    locks, and ends without unlock
 *   leave   ends its membership
 *
 * In a section two counters are counted up, one after the other.  So what a dead holder leaves may
 * be half changed: they differ.  Checked:
 *
 *   exclusion        one living thread is inside, from its call's return until it calls unlock
 *   half changed     nobody gets the mutex with 0 while the counters differ
 *   forgotten        nor after a holder's death that nobody was told of, and declared repaired
 *   answer           EOWNERDEAD: somebody died, and it is told who; ENOTRECOVERABLE: somebody gave
 *                    it up, and then nobody gets it any more; EBUSY: somebody alive was there
 *   generation       grows from one who got in to the next
 *   word             one that names a living holder is changed by that one only, but for WAITERS
 *   lost update      all are alive and done: all sections were counted
 */
struct ipc_mutex_script {
    unsigned lines; /* members' lines; 0: each thread is a member from the start */
    bool repairs;   /* by a function that is registered */
};

extern const struct model_hooks ipc_mutex_hooks;

#endif
