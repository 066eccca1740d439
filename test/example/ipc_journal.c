/* SPDX-License-Identifier: MIT */
#include <furwock/ipc/journal.h>

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/ipc/region.h>

struct bank;
int bank_open(struct bank *b, fw_ipc_journal *j);
int transfer(struct bank *b, fw_ipc_journal *j, int from, int to, long amount);

#include "ipc_journal_example.h"

/* Clerks are killed in the middle of it; what is in the bank stays the same. */

static pid_t start(struct bank *b, fw_ipc_journal *j, atomic_long *transfers)
{
    pid_t child = fork();

    if (child == 0)
        for (int i = 0;; i++) {
            int error = bank_open(b, j);
            if (error == 0)
                error = transfer(b, j, i % 10, (i + 3) % 10, i);
            if (error != 0) {
                fprintf(stderr, "a clerk gets %s\n", strerror(error));
                _exit(EXIT_FAILURE);
            }
            atomic_fetch_add(transfers, 1);
        }
    return child;
}

int main(void)
{
    int fd = memfd_create("bank", MFD_CLOEXEC);
    void *objects[3];
    atomic_long *transfers;
    fw_region *region;
    struct bank *b;
    long sum = 0;

    if (fw_region_open_fd(fd, FW_REGION_MIN_SIZE, FW_REGION_CREATE, &region) != 0 ||
        fw_region_object(region, "bank", FW_REGION_DATA, sizeof *b, FW_REGION_CREATE,
                         &objects[0]) ||
        fw_region_object(region, "journal", FW_REGION_JOURNAL, fw_ipc_journal_size(JOURNAL),
                         FW_REGION_CREATE, &objects[1]) ||
        fw_region_object(region, "transfers", FW_REGION_DATA, sizeof *transfers, FW_REGION_CREATE,
                         &objects[2]))
        return EXIT_FAILURE;
    b = objects[0];
    transfers = objects[2];
    for (int i = 0; i < 50; i++) {
        long before = atomic_load(transfers);
        pid_t clerks[2] = {start(b, objects[1], transfers), start(b, objects[1], transfers)};
        while (atomic_load(transfers) < before + 10) {
            usleep(1000);
            if (waitpid(-1, NULL, WNOHANG) != 0)
                return EXIT_FAILURE;
        }
        for (int k = 0; k < 2; k++) {
            int status;
            kill(clerks[k], SIGKILL);
            waitpid(clerks[k], &status, 0);
            if (!WIFSIGNALED(status))
                return EXIT_FAILURE;
        }
    }
    if (transfer(b, objects[1], 0, 1, 0) != 0)
        return EXIT_FAILURE;
    for (int i = 0; i < 10; i++)
        sum += b->account[i];
    printf("%ld of %ld were made or lost\n", sum, labs(b->account[3]));
    return sum == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
