/* SPDX-License-Identifier: MIT */
#include <furwock/ipc/region.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int count_run(const char *name, bool has_failed);

#include "ipc_region_example.h"

/* Eight processes come first at once, and count in one region. */

enum { PROCESSES = 8, TIMES = 100 };

static void count(const char *name)
{
    for (int i = 0; i < TIMES; i++)
        if (count_run(name, i % 4 == 0) != 0)
            _exit(EXIT_FAILURE);
    _exit(EXIT_SUCCESS);
}

int main(void)
{
    char name[64];
    fw_region *region;
    void *memory;
    bool is_good = true;

    snprintf(name, sizeof name, "/furwock-example-%d", (int)getpid());
    for (int i = 0; i < PROCESSES; i++)
        if (fork() == 0)
            count(name);
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        wait(&status);
        is_good = is_good && status == 0;
    }
    is_good = is_good && fw_region_open(name, 0, 0, &region) == 0 &&
              fw_region_object(region, "totals", FW_REGION_DATA, 0, 0, &memory) == 0;
    fw_region_remove(name);
    if (!is_good)
        return EXIT_FAILURE;
    const struct totals *totals = memory;
    printf("runs: %ld, errors: %ld\n", totals->runs, totals->errors);
    is_good = totals->runs == PROCESSES * TIMES && totals->errors == totals->runs / 4;
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
