/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_CLASSICS_TASK_H
#define FW_TEST_CLASSICS_TASK_H

#include <stdbool.h>
#include <sys/types.h>

#include "test/support/testing.h"

/* Forked processes that queue at a lock in shared memory, as the papers' tasks did. */

/* Zeroed memory that forked children share. */
void *task_memory(size_t size);

/* Forks a child that runs body(arg) and exits with 0.  It dies with the test. */
pid_t task_start(void (*body)(void *), void *arg);

/* Waits until the child sleeps in the kernel; the test fails where it ends, or does not. */
void task_await_asleep(pid_t pid);

/* The same two in one: a child that has arrived at the lock and sleeps. */
pid_t task_start_asleep(void (*body)(void *), void *arg);

/* Waits for the child's end; the test fails where it does not end, or not well. */
void task_join(pid_t pid);

void task_kill(pid_t pid);

/* Calls done(arg) until it is true; false where it is still not after some seconds. */
bool task_await(bool (*done)(void *), void *arg);

#endif
