/* SPDX-License-Identifier: MIT */
#include <furwock/ipc/permits.h>
#include <furwock/ipc/region.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct connection;
int request(fw_ipc_permits *lent, struct connection *all);

#include "ipc_permits_example.h"
#include "test/support/robust_lists.h"

/* Workers are killed while they have one of two connections; nobody runs out of them. */

enum { CONNECTIONS = 2, KILLS = 20 };

static void work(fw_ipc_permits *lent, struct connection *all)
{
    while (request(lent, all) == 0)
        ;
    _exit(EXIT_FAILURE);
}

int main(void)
{
    void *memory =
        mmap(NULL, FW_REGION_MIN_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fw_region *region;
    void *lent, *all;
    unsigned value;

    need_robust_lists();
    if (memory == MAP_FAILED ||
        fw_region_adopt(memory, FW_REGION_MIN_SIZE, FW_REGION_CREATE, &region) != 0 ||
        fw_region_object(region, "lent", FW_REGION_PERMITS, fw_ipc_permits_size(CONNECTIONS),
                         FW_REGION_CREATE, &lent) != 0 ||
        fw_region_object(region, "all", FW_REGION_DATA, CONNECTIONS * sizeof(struct connection),
                         FW_REGION_CREATE, &all) != 0 ||
        fw_ipc_permits_init(lent, CONNECTIONS) != 0)
        return EXIT_FAILURE;
    for (int i = 0; i < KILLS; i++) {
        int status;
        pid_t child = fork();
        if (child == 0)
            work(lent, all);
        usleep(2000);
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        if (!WIFSIGNALED(status))
            return EXIT_FAILURE;
    }
    value = fw_ipc_permits_value(lent);
    printf("killed: %d, connections left: %u\n", KILLS, value);
    return value == CONNECTIONS && request(lent, all) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
