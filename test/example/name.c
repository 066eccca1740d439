/* SPDX-License-Identifier: MIT */
#include <furwock/name.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <furwock/mutex.h>

struct shard;
int begin_shard(struct shard *s, int number);
void end_shard(struct shard *s);

#include "name_example.h"

/* Until there is no room for another one. */
static int names_that_fit(void)
{
    static char many[FW_NAMES + 1];
    int n = 0;

    while (n <= FW_NAMES && fw_name(&many[n], "one of many") == 0)
        n++;
    return n;
}

int main(void)
{
    static struct shard shards[3];

    for (int i = 0; i < 3; i++)
        if (begin_shard(&shards[i], i) != 0)
            return EXIT_FAILURE;
    for (int i = 0; i < 3; i++)
        end_shard(&shards[i]);
    if (fw_name(NULL, "nothing") != EINVAL || fw_name(&shards[0].lock, "again") != 0)
        return EXIT_FAILURE;
    return names_that_fit() == FW_NAMES - 3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
