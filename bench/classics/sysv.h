/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_SYSV_H
#define FW_CLASSICS_SYSV_H

/*
 * sysv: a lock that is one System V semaphore; every lock and every unlock is a semop system call.
 *
 * From: Franke, Russell and Kirkwood, "Fuss, Futexes and Furwocks" (OLS 2002), sections 1 and
 * 4.1: the base against which all throughputs of its tables are given ("each lock request results
 * in a system call").
 *
 *   the kernel's semval   meaning   left by
 *   1                     free      lock, trylock: -> 0
 *   0                     held      unlock: -> 1, or at once to the longest waiter
 *
 * Faithful: the state is in the kernel, behind a handle; no spinning, no word in user memory.
 * Decided: no SEM_UNDO.  With it the kernel would free the lock of a process that dies, its data
 * half-written, and would keep and search a record per process; none of the locks that the paper
 * compares it with does either.  A lock whose owner is killed stays held.
 * Adapted: locks share semaphore sets, since a system allows far fewer sets (SEMMNI) than
 * semaphores (SEMMNS); and the sets belong to a supervisor (supervisor.h), which removes them when
 * the last process that could use them has gone, also when all were killed.
 *
 * Fair: Linux's unlock completes the longest waiter's semop itself, so nobody can come in between.
 *
 * Rules
 *  - init and destroy are for one process, before it forks those that share the lock (or its
 *    threads); a child that calls init makes locks of its own, and destroy on its parent's does
 *    nothing.
 *  - Locks that are left when the last process ends are removed a moment later.
 *
 * Limits: /proc/sys/kernel/sem lists SEMMSL (semaphores in a set), SEMMNS (in all), SEMOPM, SEMMNI
 * (sets).  A set takes SYSV_PER_SET locks where SEMMSL allows, else as many as it does.
 */
typedef struct classic_sysv {
    int set;              /* the handle */
    unsigned short index; /* which semaphore of the set */
} classic_sysv;

/* 250 semaphores: the default SEMMSL before Linux 3.19, so that all kernels take it. */
enum { SYSV_PER_SET = 250, SYSV_SETS_MAX = 256 };

/*
 * A free lock: 0, or a positive errno value
 *   ENOSPC  SEMMNI or SEMMNS is exhausted, or SYSV_SETS_MAX sets are in use
 *   ENOSYS  a kernel without System V semaphores
 *   others  of fork and socketpair, or EPIPE: the supervisor could not be started or was killed
 */
int classic_sysv_init(classic_sysv *l);
void classic_sysv_destroy(classic_sysv *l);

/* What an error of init means, in a line for people. */
const char *classic_sysv_explain(int error);

/* Takes the lock if it is free: 0 or EBUSY. */
int classic_sysv_trylock(classic_sysv *l);
void classic_sysv_lock(classic_sysv *l);
void classic_sysv_unlock(classic_sysv *l);

#endif
