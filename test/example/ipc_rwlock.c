/* SPDX-License-Identifier: MIT */
#include <furwock/ipc/region.h>
#include <furwock/ipc/rwlock.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct price;
int quote(struct price *p, long bid, long ask);
int spread(struct price *p, long *spread);

#include "ipc_rwlock_example.h"

/* A process quotes, and is killed again and again; another looks: the spread never changes. */

enum { TIMES = 30, LOOKS = 2000, SPREAD = 7, SIZE = 1 << 20 };

static pid_t start_quoting(struct price *p)
{
    pid_t child = fork();

    if (child == 0)
        for (long bid = 0;; bid++)
            if (quote(p, bid, bid + SPREAD) != 0)
                _exit(EXIT_FAILURE);
    return child;
}

static int told, wrong;

static void look(struct price *p)
{
    long s = 0;
    int error = spread(p, &s);

    if (error == EOWNERDEAD)
        told++;
    else if (error != 0 || s != SPREAD)
        wrong++;
}

int main(void)
{
    void *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fw_region *region;
    void *price;

    if (memory == MAP_FAILED || fw_region_adopt(memory, SIZE, FW_REGION_CREATE, &region) != 0 ||
        fw_region_object(region, "price", FW_REGION_RWLOCK, sizeof(struct price), FW_REGION_CREATE,
                         &price) != 0 ||
        quote(price, 0, SPREAD) != 0)
        return EXIT_FAILURE;
    for (int i = 0; i < TIMES; i++) {
        pid_t child = start_quoting(price);
        for (int k = 0; k < LOOKS; k++)
            look(price);
        usleep(1000); /* it quotes on */
        if (child < 0 || kill(child, SIGKILL) != 0 || waitpid(child, NULL, 0) != child)
            return EXIT_FAILURE;
        look(price);
    }
    if (quote(price, 0, SPREAD) != 0)
        return EXIT_FAILURE;
    printf("%d wrong spreads; %d times there was none, after a death\n", wrong, told);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
