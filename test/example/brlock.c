/* SPDX-License-Identifier: MIT */
#include <furwock/brlock.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct route_table;
int next_hop(struct route_table *t, unsigned char net);
void set_route(struct route_table *t, unsigned char net, int hop);

#include "brlock_example.h"

/* Two threads look up routes while a third changes them, both ways at once. */

enum { TIMES = 20000, EAST = 1, WEST = 2 };

static struct route_table table;
static int strays;

static void *look_up(void *unused)
{
    for (int i = 0; i < TIMES; i++) {
        int hop = next_hop(&table, (unsigned char)i);

        if (hop != EAST && hop != WEST)
            __atomic_fetch_add(&strays, 1, __ATOMIC_RELAXED);
    }
    return unused;
}

int main(void)
{
    pthread_t reader[2];

    if (fw_brlock_init(&table.lock) != 0)
        return EXIT_FAILURE;
    for (int net = 0; net < 256; net++)
        set_route(&table, (unsigned char)net, EAST);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&reader[i], NULL, look_up, NULL) != 0)
            return EXIT_FAILURE;
    for (int i = 0; i < TIMES / 10; i++)
        set_route(&table, (unsigned char)i, i % 2 != 0 ? EAST : WEST);
    for (int i = 0; i < 2; i++)
        pthread_join(reader[i], NULL);
    fw_brlock_destroy(&table.lock);
    printf("strays: %d\n", strays);
    return strays == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
