/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_IPC_REGION_LED_H
#define FW_TEST_IPC_REGION_LED_H

#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/types.h>

/* A child that is led by instructions, or by system calls.  Without ptrace the test is skipped. */

/* What the child says first; from there it is led. */
void be_led(void);

/* Starts a child that says so, and stops it there. */
pid_t lead(void (*body)(void *));

/* Leads it on to the next stop.  False: it has ended, well. */
bool is_there_after(pid_t child, enum __ptrace_request how);

/*
 * The number of the system call at whose begin it has stopped; -1: it has not.  Led by system calls
 * (PTRACE_SYSCALL), once tell_calls was called.
 */
void tell_calls(pid_t child);
long call_of(pid_t child);

#endif
