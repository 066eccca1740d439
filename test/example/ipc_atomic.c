/* SPDX-License-Identifier: MIT */
#include <furwock/ipc/atomic.h>

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct plant;
struct plant *plant_open(int fd);
void plant_count(struct plant *p, bool good);

#include "ipc_atomic_example.h"

/* Two processes count in one file; one of them is killed over it, and a third takes its place. */

enum { TIMES = 20000 };

static pid_t start(int fd)
{
    pid_t child = fork();

    if (child == 0) {
        struct plant *p = plant_open(fd);
        if (p == NULL)
            _exit(EXIT_FAILURE);
        for (int i = 0; i < TIMES; i++)
            plant_count(p, i % 4 != 0);
        _exit(EXIT_SUCCESS);
    }
    return child;
}

int main(void)
{
    int fd = memfd_create("plant", MFD_CLOEXEC);
    pid_t stays = start(fd), dies = start(fd), comes;
    struct plant *p;
    struct state end;
    int status[2];

    usleep(1000);
    kill(dies, SIGKILL);
    waitpid(dies, NULL, 0);
    comes = start(fd);
    waitpid(stays, &status[0], 0);
    waitpid(comes, &status[1], 0);
    p = plant_open(fd);
    if (p == NULL || status[0] != 0 || status[1] != 0)
        return EXIT_FAILURE;
    end = atomic_load(&p->state);
    printf("done: %ld, failed: %ld, next: %ld\n", end.done, end.failed, end.next);
    return end.done + end.failed == end.next && end.next >= 2L * TIMES && end.next <= 3L * TIMES
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}
