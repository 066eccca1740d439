/* SPDX-License-Identifier: MIT */
#include <furwock/ipc/cond.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/ipc/region.h>

struct mailbox;
int put(struct mailbox *b);
int get(struct mailbox *b);

#include "ipc_cond_example.h"

/* Two processes read letters; one of them is killed over it. */

enum { LETTERS = 2000 };

static pid_t start(struct mailbox *b, int letters)
{
    pid_t child = fork();

    if (child == 0) {
        for (int i = 0; i < letters; i++)
            if (get(b) != 0)
                _exit(EXIT_FAILURE);
        _exit(EXIT_SUCCESS);
    }
    return child;
}

int main(void)
{
    int fd = memfd_create("mailbox", MFD_CLOEXEC), status;
    fw_region *region;
    void *object;
    struct mailbox *b;
    pid_t dies, stays;

    if (fw_region_open_fd(fd, FW_REGION_MIN_SIZE, FW_REGION_CREATE, &region) != 0 ||
        fw_region_object(region, "mailbox", FW_REGION_DATA, sizeof *b, FW_REGION_CREATE, &object))
        return EXIT_FAILURE;
    b = object;
    dies = start(b, LETTERS);
    stays = start(b, LETTERS);
    for (int i = 0; i < LETTERS; i++) {
        if (i == LETTERS / 2)
            kill(dies, SIGKILL);
        if (put(b) != 0)
            return EXIT_FAILURE;
    }
    waitpid(dies, NULL, 0);
    for (int i = 0; i < LETTERS; i++) /* for those that the dead one has read */
        put(b);
    waitpid(stays, &status, 0);
    printf("%u letters are left\n", b->letters);
    return status == 0 && b->letters <= LETTERS ? EXIT_SUCCESS : EXIT_FAILURE;
}
