/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_SLEEPER_H
#define FW_TEST_SLEEPER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <furwock/futex.h>

#include "test/support/deadline.h"
#include "test/support/now.h"

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

#endif
