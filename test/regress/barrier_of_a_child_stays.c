/* SPDX-License-Identifier: MIT */
/*
 * A barrier that FW_BARRIER_INIT made in the child of a fork could not be destroyed while one of
 * the child's own threads was on its way out: fw_barrier_trydestroy took that one for a thread of
 * the parent, and returned EBUSY instead of waiting for it.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/barrier.h>
#include <furwock/bits/atomic.h>

#include "thread/barrier_word.h"

enum { CHILD_SECONDS = 100 };

static fw_barrier b = FW_BARRIER_INIT(2);
static uint32_t is_answered;
static int answer;

/* Arrives last, and destroys the barrier when it returns. */
static void *destroy(void *unused)
{
    (void)unused;
    answer = fw_barrier_wait(&b) == FW_BARRIER_SERIAL ? fw_barrier_trydestroy(&b) : ECANCELED;
    fw_store32_release(&is_answered, 1);
    return NULL;
}

/* The caller arrives first, and leaves late: when the other thread waits for it, or does not. */
static int run(void)
{
    pthread_t thread;
    uint32_t phase;

    if (fw_barrier_arrive_(&b, 1, true, false, &phase) ||
        pthread_create(&thread, NULL, destroy, NULL) != 0)
        return ECANCELED;
    while (!barrier_goes(fw_load64_relaxed(&b.state_)) && fw_load32_acquire(&is_answered) == 0)
        sched_yield();
    fw_barrier_stay_(&b, phase);
    pthread_join(thread, NULL);
    return answer;
}

int main(void)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        alarm(CHILD_SECONDS);
        _exit(run());
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    if (status != 0)
        fprintf(stderr, "the child could not destroy its barrier: status %#x\n", (unsigned)status);
    return status != 0;
}
