/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_DESCRIPTORS_H
#define FW_SYS_DESCRIPTORS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/*
 * Descriptors that wait for several things, and that tell of one: epoll(7), eventfd(2) and
 * timerfd_create(2).  All are closed on exec.  None is a cancellation point or touches errno.
 * Makers return a descriptor or a negative errno: EMFILE, ENFILE, ENOMEM; ENODEV if the kernel
 * lacks a file system for them; or what a system call filter says.
 */
int fw_event_make_(void); /* readable once it was written, until it is read */
int fw_timer_make_(clockid_t clock);
int fw_poll_make_(void);

void fw_descriptor_close_(int fd);

/* Cannot fail for long: it is written once for each read. */
void fw_event_write_(int event);

/* False: it was not readable. */
bool fw_event_read_(int event);

/* Readable from then on, until it is set anew.  NULL: never. */
void fw_timer_set_(int timer, const struct timespec *at);

/* What makes `poll` readable, until it is closed or taken out: 0, ENOMEM, ENOSPC. */
int fw_poll_add_(int poll, int fd);
void fw_poll_remove_(int poll, int fd);

/* Until `poll` is readable (0), ns have passed (ETIMEDOUT), or a signal handler ran (EINTR). */
int fw_poll_wait_(int poll, uint64_t ns);

/* The same without a bound. */
#define FW_POLL_FOREVER_ UINT64_MAX

#endif
