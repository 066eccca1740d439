/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_SUPPORT_TRACED_H
#define FW_TEST_SUPPORT_TRACED_H

#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/types.h>

/* A child that runs by single instructions, or by system calls.  Without ptrace: test skipped. */

/* What the child calls first: it stops, and is traced from there on. */
void traced_begin(void);

/* Starts a child that calls traced_begin, and waits until it has stopped there. */
pid_t traced_start(void (*body)(void *), void *arg);

/* Runs it to the next stop (PTRACE_SINGLESTEP, _SYSCALL).  False: it has ended with status 0. */
bool traced_next(pid_t child, enum __ptrace_request how);

/* Lets it run untraced, to its end with status 0. */
void traced_finish(pid_t child);

/*
 * The number of the system call at whose entry it has stopped; -1: it has not.  With
 * PTRACE_SYSCALL, once traced_tell_calls was called.
 */
void traced_tell_calls(pid_t child);
long traced_call(pid_t child);

#endif
