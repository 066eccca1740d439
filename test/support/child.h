/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_SUPPORT_CHILD_H
#define FW_TEST_SUPPORT_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Child processes of a test.  Whatever fails ends the program with a line, under cmocka as well. */

/* A child process; it dies with its parent. */
pid_t start(void (*body)(void *), void *arg);

/* Waits until that child sleeps in the kernel; fails if it ends instead. */
void await_child_asleep(pid_t child);

/* The two in one. */
pid_t start_asleep(void (*body)(void *), void *arg);

/* Waits for its end: its exit status, or -signal. */
int wait_for_child(pid_t child);

/* Waits for its end; fails unless it ended with status 0. */
void finish(pid_t child);

/* Kills it with SIGKILL and waits for it; fails if it had ended before. */
void kill_and_wait(pid_t child);

/* Zeroes, for this process and its children to come. */
void *share(size_t n);

/* Asks until the answer is yes; false if it is still no after a time that only a hang takes. */
bool await_condition(bool (*done)(void *), void *arg);

#endif
