/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_IPC_NAME_FIXTURE_H
#define FW_TEST_IPC_NAME_FIXTURE_H

#include <stdio.h>
#include <unistd.h>

#include <furwock/ipc/region.h>

#include "unit.h"

/* For tests of regions under a name, of which nothing stays. */
static char name[64], path[80];

static int set_up(void)
{
    snprintf(name, sizeof name, "/furwock-unit-%d", (int)getpid());
    snprintf(path, sizeof path, "/dev/shm%s", name);
    return 0;
}

static void tear_down(void)
{
    fw_region_remove(name);
}

/* What fw_region_open returns; what it has opened is closed again. */
static int opening(size_t size, unsigned flags)
{
    fw_region *r;
    int error = fw_region_open(name, size, flags, &r);

    if (error == 0)
        assert_int_equal(fw_region_close(r), 0);
    return error;
}

#endif
