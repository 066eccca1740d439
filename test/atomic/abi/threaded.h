/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_ATOMIC_THREADED_H
#define FW_TEST_ATOMIC_THREADED_H

/*
 * Starts a thread that does nothing, forever.  A library may do with less while the process has
 * one thread only, so that what one thread can see has to be looked at twice.
 */
void become_multithreaded(void);

#endif
