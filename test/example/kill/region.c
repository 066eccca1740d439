/* SPDX-License-Identifier: MIT */
/* The totals of furwock/ipc/region.h. */
#include <furwock/ipc/region.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

int count_run(const char *name, bool has_failed);

#include "ipc_region_example.h"
#include "region.h"

static char name[64];

static void prepare(void)
{
    snprintf(name, sizeof name, "/furwock-totals-%d", (int)getpid());
}

static void reset(void)
{
    int error = fw_region_remove(name);

    CHECK(error == 0 || error == ENOENT);
}

static void use(void)
{
    CHECK(count_run(name, true) == 0);
}

/* A process that dies here has counted its run, or not; the failure may be missing. */
static void survive(void)
{
    fw_region *region;
    void *memory;
    struct totals *totals;

    use();
    CHECK(fw_region_open(name, 0, 0, &region) == 0);
    CHECK(fw_region_object(region, "totals", FW_REGION_DATA, 0, 0, &memory) == 0);
    totals = memory;
    CHECK(totals->errors >= 1 && totals->runs - totals->errors <= 1);
    if (shared->is_alone)
        CHECK(fw_region_remove(name) == 0);
    CHECK(fw_region_close(region) == 0);
}

static const struct kill_case cases[] = {{"totals", reset, NULL, NULL, use, NULL, survive, 0},
                                         {.name = NULL}};

const struct kill_table region_table = {.name = "region", .cases = cases, .prepare = prepare};
