/* SPDX-License-Identifier: MIT */
/*
 * The bank of doc/guide/crash-safety.md: whoever opens it or moves money in it, and whenever it is
 * killed.
 */
#include <stdio.h>
#include <unistd.h>

#define transfer transfer_in_bank /* another example has one, too */
struct bank;
int open_bank(const char *name, struct bank *b);
int transfer(struct bank *b, long amount);

#include "crash_safety_example.h"
#include "region.h"

enum { TRANSFERS = 2 };

static char name[64];

static void prepare(void)
{
    snprintf(name, sizeof name, "/furwock-bank-%d", (int)getpid());
}

static void reset(void)
{
    int error = fw_region_remove(name);

    CHECK(error == 0 || error == ENOENT);
}

static void use(void)
{
    struct bank b;

    CHECK(open_bank(name, &b) == 0);
    for (int i = 0; i < TRANSFERS; i++)
        CHECK(transfer(&b, 1) == 0);
}

/* Whoever comes later is not told of anything, and finds what was there, and no half of it. */
static void survive(void)
{
    struct bank b;

    CHECK(open_bank(name, &b) == 0);
    CHECK(transfer(&b, 0) == 0);
    CHECK(b.account[0] + b.account[1] == 0);
    shared->outcome = (int)b.account[1];
    if (shared->is_alone)
        CHECK(fw_region_remove(name) == 0);
    CHECK(fw_region_close(b.region) == 0);
}

static const struct kill_case cases[] = {{"bank", reset, NULL, NULL, use, NULL, survive, TRANSFERS},
                                         {.name = NULL}};

const struct kill_table crash_safety_table = {
    .name = "crash_safety", .cases = cases, .prepare = prepare};
