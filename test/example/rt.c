/* SPDX-License-Identifier: MIT */
#include <furwock/rt.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int control(fw_rt_group *group, unsigned rounds);

#include "rt_example.h"

/* A few rounds on CPU 1, where there is one, and where SCHED_FIFO is allowed. */

enum { ROUNDS = 5, SKIPPED = 77 };

int main(void)
{
    fw_rt_group *group;
    int error = fw_rt_group_open(&group, NULL, FW_RT_TIER_A);

    if (error == 0)
        error = control(group, ROUNDS);
    if (error == EPERM || error == EINVAL) {
        printf("skipped: %s\n", fw_rt_strerror());
        return SKIPPED;
    }
    if (error != 0) {
        fprintf(stderr, "%s\n", fw_rt_strerror());
        return EXIT_FAILURE;
    }
    printf("target: %g\n", target);
    return target == ROUNDS && fw_rt_group_close(group) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
