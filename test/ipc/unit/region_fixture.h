/* SPDX-License-Identifier: MIT */
#ifndef REGION_FIXTURE_H
#define REGION_FIXTURE_H

#include <sys/mman.h>
#include <unistd.h>

#include <furwock/ipc/region.h>

#include "unit.h"

/* For tests of what lies in a region: each has a new one, in a file without a name. */
static fw_region *region;

static int set_up(void)
{
    int fd = memfd_create("test", 0);

    if (fd < 0 || fw_region_open_fd(fd, FW_REGION_MIN_SIZE, FW_REGION_CREATE, &region) != 0)
        return -1;
    return close(fd);
}

static void tear_down(void)
{
    assert_int_equal(fw_region_close(region), 0);
}

#endif
