/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_WAKE_ALL_H
#define FW_CLASSICS_WAKE_ALL_H

#include <furwock/mutex.h>

#include "word.h"

/*
 * wake-all: a condition variable whose broadcast wakes everybody, on fw_mutex.
 *
 * From: what requeueing was invented against.  Ingo Molnar ("futex requeueing feature", 2003)
 * describes the threads that a broadcast wakes "which all race to serialize on the user-supplied
 * mutex"; Franke, Russell and Kirkwood (OLS 2002, section 3.1.3) say of
 * pthread_cond_broadcast that it "requires every process sleeping to be woken up".  The
 * construction is the plain one on a futex: a number that every signal and broadcast changes.
 *
 *   seq   meaning                                                left by
 *   n     whoever has read n before it released the mutex        signal: n+1, and a wake of one;
 *         may sleep                                              broadcast: n+1, and a wake of all
 *
 * Not a lock as published: there is no paper that prints it, and it is here to compare with.  It
 * has fw_mutex's threads for users, so it does not work between processes.
 *
 * No signal is lost: a waiter reads seq with the mutex held.  A signal that comes later changes it,
 * so the waiter does not go to sleep, or sleeps already and is the one to be woken, or somebody
 * is who has slept longer.  Where it does not sleep, the wake may end the sleep of another too:
 * spurious.
 *
 * Weaknesses: all waiters wake at once; a waiter that sees 2^32 signals between its reading and
 * its sleep misses them all; among threads of different priorities the kernel may give the wake to
 * one that came after the signal; the memory must stay until every waiter has locked the mutex
 * again.
 */
typedef struct classic_wake_all {
    uint32_t seq;
} classic_wake_all;

#define CLASSIC_WAKE_ALL_INIT \
    {                         \
        0                     \
    }

/*
 * With the mutex held.  0 or ETIMEDOUT; `deadline` NULL: none.  May return 0 without a signal, as
 * after a wake that was meant for another.
 */
int classic_wake_all_wait(classic_wake_all *c, fw_mutex *m, const fw_deadline *deadline);

void classic_wake_all_signal(classic_wake_all *c);
void classic_wake_all_broadcast(classic_wake_all *c);

#endif
