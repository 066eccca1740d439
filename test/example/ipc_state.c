/* SPDX-License-Identifier: MIT */
#include <furwock/ipc/region.h>
#include <furwock/ipc/state.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <furwock/bits/deadline.h>

int lock_or_say(fw_ipc_mutex *m, const fw_deadline *deadline, char *text, size_t size);

#include "ipc_state_example.h"

/* A child holds the mutex until its parent has said so. */
int main(void)
{
    void *memory =
        mmap(NULL, FW_REGION_MIN_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fw_deadline past = {.clock = CLOCK_MONOTONIC};
    char text[100] = "", expected[100];
    fw_region *region;
    fw_ipc_mutex *m;
    int ready[2], done[2];
    char byte = 0;
    pid_t child;

    if (memory == MAP_FAILED || pipe(ready) != 0 || pipe(done) != 0 ||
        fw_region_adopt(memory, FW_REGION_MIN_SIZE, FW_REGION_CREATE, &region) != 0 ||
        fw_region_mutex(region, "lock", FW_REGION_CREATE, &m) != 0)
        return EXIT_FAILURE;
    child = fork();
    if (child == 0) {
        close(done[1]);
        _exit(fw_ipc_mutex_lock(m) == 0 && write(ready[1], &byte, 1) == 1 &&
                      read(done[0], &byte, 1) == 0 && fw_ipc_mutex_unlock(m) == 0
                  ? 0
                  : 1);
    }
    if (child < 0 || read(ready[0], &byte, 1) != 1 ||
        lock_or_say(m, &past, text, sizeof text) != ETIMEDOUT)
        return EXIT_FAILURE;
    puts(text);
    snprintf(expected, sizeof expected, "process %d has it, acquisition 1", (int)child);
    close(done[1]);
    if (strcmp(text, expected) != 0 || waitpid(child, NULL, 0) != child)
        return EXIT_FAILURE;
    return lock_or_say(m, &past, text, sizeof text) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
