/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_SLEEPER_H
#define FW_TEST_SLEEPER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <furwock/futex.h>

/* A thread that waits once on a futex word, and what came of it. */
struct sleeper {
    const uint32_t *word;
    uint32_t expected;
    uint32_t bits;
    unsigned flags;
    const fw_deadline *deadline;
    int result;
    pid_t tid;
    bool done;
    pthread_t thread;
};

/* Starts the thread and returns when it sleeps in the kernel (or has returned already). */
void sleeper_start(struct sleeper *s);

/* Waits for the thread's end and answers the result of its wait. */
int sleeper_join(struct sleeper *s);

/* Waits until thread `tid` of process `pid` sleeps, or *done is true. */
void await_asleep(pid_t pid, const pid_t *tid, const bool *done);

/* A deadline ns from now on that clock. */
fw_deadline deadline_in(clockid_t clock, int64_t ns);

/* Nanoseconds of CLOCK_MONOTONIC. */
int64_t monotonic_ns(void);

#endif
