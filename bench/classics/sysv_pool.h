/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_SYSV_POOL_H
#define FW_CLASSICS_SYSV_POOL_H

/* Where the semaphores of sysv locks come from: sets that a supervisor owns, filled one by one. */

/* A semaphore that nobody uses, its value unknown: 0, or a positive errno value. */
int sysv_pool_take(int *set, unsigned short *index);

/* Gives it back.  A set that has none in use is removed. */
void sysv_pool_give(int set, unsigned short index);

#endif
