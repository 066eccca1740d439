/* SPDX-License-Identifier: MIT */
/*
 * Linked from the archive, furwock's fork handlers came after those that a constructor of the
 * program registers: these met the wait-queue buckets as the parent's threads had left them, and
 * the fork not yet counted.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/waitqueue.h"
#include "sys/fork.h"

enum { CHILD_SECONDS = 100 };

static int object;
static bool was_counted;

static void in_child(void)
{
    alarm(CHILD_SECONDS);
    was_counted = fw_fork_generation_() == 1;
    fw_waitqueue_unlock_(fw_waitqueue_lock_(&object)); /* somebody was inside at the fork */
}

__attribute__((constructor)) static void begin(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

static void *be_inside(void *ready)
{
    fw_waitqueue_lock_(&object);
    pthread_barrier_wait(ready);
    for (;;)
        pause();
    return NULL;
}

int main(void)
{
    static pthread_barrier_t ready; /* the thread may still look at it when main has returned */
    pthread_t thread;
    int status;
    pid_t child;

    if (pthread_barrier_init(&ready, NULL, 2) != 0 ||
        pthread_create(&thread, NULL, be_inside, &ready) != 0)
        return 1;
    pthread_barrier_wait(&ready);
    child = fork();
    if (child == 0)
        _exit(was_counted ? 0 : 2);
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    if (status != 0)
        fprintf(stderr, "a fork handler of the program came first: status %#x\n", (unsigned)status);
    return status != 0;
}
