/* SPDX-License-Identifier: MIT */
#include <furwock/ipc/barrier.h>
#include <furwock/ipc/region.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct grid;
int compute(fw_ipc_barrier *step, struct grid *g, int me);

#include "ipc_barrier_example.h"

/* One of three dies on the way; the others are told, and do it again with another one. */

enum { PARTIES = 3 };

static void party(fw_ipc_barrier *step, struct grid *g, int me, int dies)
{
    int error = fw_ipc_barrier_join(step);

    if (dies)
        _exit(EXIT_SUCCESS);
    if (error == 0)
        error = compute(step, g, me);
    _exit(error);
}

/* How many were told of a death. */
static int run(fw_ipc_barrier *step, struct grid *g, int victim)
{
    int told = 0, status;

    for (int me = 0; me < PARTIES; me++)
        if (fork() == 0)
            party(step, g, me, me == victim);
    while (wait(&status) > 0)
        told += WIFEXITED(status) && WEXITSTATUS(status) == EOWNERDEAD;
    return told;
}

int main(void)
{
    void *memory =
        mmap(NULL, FW_REGION_MIN_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fw_region *region;
    void *step, *object;
    struct grid *g;
    int told;

    if (memory == MAP_FAILED ||
        fw_region_adopt(memory, FW_REGION_MIN_SIZE, FW_REGION_CREATE, &region) != 0 ||
        fw_region_object(region, "step", FW_REGION_BARRIER, fw_ipc_barrier_size(PARTIES),
                         FW_REGION_CREATE, &step) != 0 ||
        fw_region_object(region, "grid", FW_REGION_DATA, sizeof *g, FW_REGION_CREATE, &object) != 0)
        return EXIT_FAILURE;
    g = object;
    if (fw_ipc_barrier_init(step, PARTIES, FW_IPC_BARRIER_FAIL) != 0)
        return EXIT_FAILURE;
    told = run(step, g, 1);
    if (fw_ipc_barrier_reset(step) != 0 || run(step, g, -1) != 0)
        return EXIT_FAILURE;
    printf("told of a death: %d; afterwards: %d %d %d\n", told, g->second[0], g->second[1],
           g->second[2]);
    return told == PARTIES - 1 && g->second[0] == 6 && g->second[1] == 6 && g->second[2] == 6
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}
