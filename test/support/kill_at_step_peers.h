/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_SUPPORT_KILL_AT_STEP_PEERS_H
#define FW_TEST_SUPPORT_KILL_AT_STEP_PEERS_H

/* For kill_at_step.c only: who waits for whom. */
#include "kill_at_step.h"

/* Whether actors are threads. */
extern bool kill_in_threads_;

bool kill_is_set_(const bool *flag);
void kill_set_(bool *flag);

/* By a process that will die, or may. */
void kill_be_mortal_(void);

/* Until that process sleeps, is stopped, or has ended. */
void kill_await_idle_(pid_t pid);

/* Fails, unless that is the status of a process that ended well; passes a skip on. */
void kill_expect_success_(int status, const char *who);

#endif
