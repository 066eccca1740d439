/* SPDX-License-Identifier: MIT */
/*
 * One process, or two in a row, killed at every step of the library's: see kill_at_step.h.
 *
 *     test_ipc_kill_OBJECT [CASE]
 */
#include "region.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/ipc/region.h>

#include "ipc/region/member.h"

extern const struct kill_table TABLE;

static fw_region *region;

fw_region *region_of_all(void)
{
    return region;
}

void *object_new(size_t size)
{
    static unsigned n;
    char name[16];
    void *object;
    int error;

    snprintf(name, sizeof name, "%u", n++);
    error = fw_region_object(region, name, FW_REGION_DATA, size, FW_REGION_CREATE, &object);
    if (error != 0)
        fail("an object of %zu bytes: %s", size, strerror(error));
    return object;
}

/* All others are dead: no participant slot looks alive except this process's. */
static void expect_no_participants(void)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(fw_region_base(region));
    unsigned alive = 0;

    for (uint32_t i = 0; i < mapping->member_count; i++)
        alive += ((uint32_t)mapping->members[i].life & FW_ROBUST_OWNER) != 0;
    if (alive > 1)
        fail("%u participant slots of the dead look alive", alive - 1);
}

int main(int argc, char **argv)
{
    enum { SIZE = 1 << 20 };
    struct kill_table t = TABLE;
    int error = fw_region_adopt(share(SIZE), SIZE, FW_REGION_CREATE, &region);

    if (error != 0)
        fail("no region: %s", strerror(error));
    t.after = expect_no_participants;
    printf("%u processes killed\n", kill_at_each_step(&t, argc > 1 ? argv[1] : NULL));
    return EXIT_SUCCESS;
}
