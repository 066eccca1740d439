/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_IPC_RWLOCK_FIXTURE_H
#define FW_TEST_IPC_RWLOCK_FIXTURE_H

#include <stdbool.h>

#include <furwock/ipc/rwlock.h>

#include "fixture.h"
#include "ipc/rwlock.h"
#include "test/support/deadline.h"

/* One lock for unit tests, and processes that do something with it and stay, or are killed. */
extern fw_ipc_rwlock *l;

enum { SLOTS = 70 }; /* more than one slot in some groups of the hint */

int rwlock_make(void);

/* A call on the lock, or several. */
typedef int (*role)(fw_ipc_rwlock *);

/* A process that plays the role, with this answer, and stays. */
int come(role play, int expected);

/* One that stays in the role, waiting: until the word has the flag, or, for 0, until it sleeps. */
int come_and_wait(role play, uint64_t flag);

/* The answer of the last one that came. */
int answer(void);
bool has_answered(void);

/* One that plays the role, with this answer, and is killed then. */
int kill_one(role play, int expected);

/* Does so in another thread, which ends: its answer. */
int elsewhere(role play);

uint64_t own_id(void);
uint64_t word(void);
/* Waits until the word has all the flags. */
void await_flags(uint64_t flags);

#endif
