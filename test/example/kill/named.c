/* SPDX-License-Identifier: MIT */
/* The pool of furwock/ipc/named.h. */
#include <furwock/ipc/named.h>

#include <string.h>
#include <sys/mman.h>

int use_place(fw_region *region, int (*use)(void));

#include "ipc_named_example.h"
#include "region.h"

static fw_region *region;
static void *memory;

static void reset(void)
{
    if (memory == NULL)
        memory = share(FW_REGION_MIN_SIZE);
    if (region != NULL)
        CHECK(fw_region_close(region) == 0);
    memset(memory, 0, FW_REGION_MIN_SIZE);
    CHECK(fw_region_adopt(memory, FW_REGION_MIN_SIZE, FW_REGION_CREATE, &region) == 0);
}

static int step(void)
{
    fw_step_();
    return 0;
}

static void use(void)
{
    CHECK(use_place(region, step) == 0);
}

static void survive(void)
{
    fw_ipc_permits *places;

    use();
    CHECK(fw_region_permits(region, "places", 4, 0, &places) == 0);
    if (shared->is_alone)
        CHECK(fw_ipc_permits_value(places) == 4);
}

static const struct kill_case cases[] = {{"places", reset, NULL, NULL, use, NULL, survive, 0},
                                         {.name = NULL}};

const struct kill_table named_table = {.name = "named", .cases = cases};
