/* SPDX-License-Identifier: MIT */
#include <furwock/ipc/once.h>
#include <furwock/ipc/region.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct squares;
int square_of(struct squares *s, unsigned i, unsigned *square);

#include "ipc_once_example.h"

/* The first one dies over it; all others get what the second one makes. */

enum { PROCESSES = 6 };

static int die(void *arg)
{
    struct squares *s = arg;

    s->square[0] = 1;
    _exit(EXIT_SUCCESS);
}

static void ask(struct squares *s, unsigned i)
{
    unsigned square;

    if (square_of(s, i, &square) != 0 || square != i * i)
        _exit(EXIT_FAILURE);
    _exit(EXIT_SUCCESS);
}

int main(void)
{
    void *memory =
        mmap(NULL, FW_REGION_MIN_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fw_region *region;
    void *object;
    struct squares *s;
    unsigned good = 0;
    int status;

    if (memory == MAP_FAILED ||
        fw_region_adopt(memory, FW_REGION_MIN_SIZE, FW_REGION_CREATE, &region) != 0 ||
        fw_region_object(region, "squares", FW_REGION_DATA, sizeof *s, FW_REGION_CREATE, &object) !=
            0)
        return EXIT_FAILURE;
    s = object;
    if (fork() == 0) {
        fw_ipc_once_call(&s->once, die, s);
        _exit(EXIT_FAILURE);
    }
    wait(&status);
    for (unsigned i = 0; i < PROCESSES; i++)
        if (fork() == 0)
            ask(s, i);
    while (wait(&status) > 0)
        good += status == 0;
    printf("%u of %u got their square\n", good, PROCESSES);
    return good == PROCESSES && fw_ipc_once_is_done(&s->once) ? EXIT_SUCCESS : EXIT_FAILURE;
}
