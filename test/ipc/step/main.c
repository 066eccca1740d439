/* SPDX-License-Identifier: MIT */
/*
 * Death at every step, of one process or of two in a row: see step.h.
 *
 *     test_ipc_step_OBJECT [ROW]
 */
#include <stdio.h>
#include <stdlib.h>

#include "step.h"

extern const struct table TABLE;

int main(int argc, char **argv)
{
    unsigned kills = play(&TABLE, argc > 1 ? argv[1] : NULL);

    printf("%u processes killed\n", kills);
    return EXIT_SUCCESS;
}
