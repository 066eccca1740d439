/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_SERVICE_THREAD_H
#define FW_SYS_SERVICE_THREAD_H

#include <pthread.h>

/*
 * A thread of the library's own: it takes no signals, has a small stack, and a name of at most 15
 * characters, which tools show.  0; EAGAIN: the system has no resources for one more.  A forked
 * child does not have it.
 */
int fw_service_thread_start_(pthread_t *thread, const char *name, void *(*run)(void *), void *arg);

/* Waits until it has returned. */
void fw_service_thread_join_(pthread_t thread);

#endif
