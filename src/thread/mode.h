/* SPDX-License-Identifier: MIT */
#ifndef FW_THREAD_MODE_H
#define FW_THREAD_MODE_H

/*
 * Whose rules a call keeps: furwock's own, or those of the C library's locks, for programs that
 * were written for these.  A lock has one slow path, and takes the mode as an argument; the entry
 * points ending in _posix_ give it FW_MODE_POSIX, all others FW_MODE_CHECKED.  The states and
 * invariants of the locks are the same in both modes.
 *
 * what happens                        CHECKED                 POSIX
 * ----------------------------------  ----------------------  ------------------------------------
 * mutex locked again by its owner     panics                  waits, like any thread
 * mutex unlocked by another thread    panics                  is released
 * mutex unlocked while it is free     panics                  nothing
 * rwlock locked again by its writer   panics                  EDEADLK
 * rwlock locked again by a reader
 *   that has to wait                  panics                  waits, like any thread
 * rwlock unlocked by another thread   panics if it can tell   is released
 * rwlock unlocked while it is free    panics                  nothing
 * cond waited on without the mutex    panics                  what the mutex's unlock returns
 * cond waited on with two mutexes     panics                  the later waiters are not requeued
 * a signal ends a sleep for a permit  sleeps on               EINTR
 * a sleep for a permit is cancelled   it cannot be            the waiter leaves
 * a wait for a permit is over, and
 *   one is there, but reserved        ETIMEDOUT               takes it
 * a real-time thread finds a permit
 *   that is reserved                  waits                   takes it
 */
enum fw_mode_ { FW_MODE_CHECKED, FW_MODE_POSIX };

#endif
