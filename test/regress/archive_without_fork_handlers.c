/* SPDX-License-Identifier: MIT */
/*
 * Generic atomics from the archive: nothing referred to the object file with the fork handlers, so
 * programs did not have them, and a child could find a stripe locked by a thread that it has not.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS = 200, CHILD_SECONDS = 100 };

struct big {
    long words[64];
};
static _Atomic(struct big) object;
static atomic_int is_over;

static void *hammer(void *unused)
{
    (void)unused;
    for (struct big mine = {{0}}; !atomic_load(&is_over); mine.words[0]++)
        atomic_store(&object, mine);
    return NULL;
}

/* A child that finds the stripe locked is ended by the alarm. */
static int fork_and_store(void)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        alarm(CHILD_SECONDS);
        atomic_store(&object, (struct big){{1}});
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    return status;
}

int main(void)
{
    pthread_t other;
    int bad = 0;

    if (pthread_create(&other, NULL, hammer, NULL) != 0)
        return 1;
    for (int i = 0; i < FORKS && bad == 0; i++)
        bad = fork_and_store();
    atomic_store(&is_over, 1);
    pthread_join(other, NULL);
    if (bad != 0)
        fputs("a forked child could not store\n", stderr);
    return bad != 0;
}
