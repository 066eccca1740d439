/* SPDX-License-Identifier: MIT */
#include <furwock/ipc/region.h>
#include <furwock/ipc/sem.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct works;
int feed(struct works *w, unsigned n);
int work(struct works *w);

#include "ipc_sem_example.h"

/* Three workers do what one feeder gives them. */

enum { WORKERS = 3, JOBS = 300 };

int main(void)
{
    void *memory =
        mmap(NULL, FW_REGION_MIN_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fw_region *region;
    void *object;
    struct works *w;

    if (memory == MAP_FAILED ||
        fw_region_adopt(memory, FW_REGION_MIN_SIZE, FW_REGION_CREATE, &region) != 0 ||
        fw_region_object(region, "works", FW_REGION_DATA, sizeof *w, FW_REGION_CREATE, &object) !=
            0)
        return EXIT_FAILURE;
    w = object;
    for (int i = 0; i < WORKERS; i++)
        if (fork() == 0) {
            for (int n = 0; n < JOBS / WORKERS; n++)
                if (work(w) != 0)
                    _exit(EXIT_FAILURE);
            _exit(EXIT_SUCCESS);
        }
    for (int n = 0; n < JOBS; n += 10)
        if (feed(w, 10) != 0)
            return EXIT_FAILURE;
    while (wait(NULL) > 0)
        ;
    printf("done: %u\n", w->done);
    return w->done == JOBS && fw_ipc_sem_value(&w->jobs) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
