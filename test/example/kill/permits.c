/* SPDX-License-Identifier: MIT */
/* The connections of furwock/ipc/permits.h. */
#include <furwock/ipc/permits.h>

#include <errno.h>
#include <string.h>

struct connection;
int request(fw_ipc_permits *lent, struct connection *all);

#include "ipc_permits_example.h"
#include "region.h"

enum { CONNECTIONS = 2 };

static fw_ipc_permits *lent;
static struct connection *all;

static void prepare(void)
{
    lent = object_new(fw_ipc_permits_size(CONNECTIONS));
    all = object_new(CONNECTIONS * sizeof *all);
}

static void reset(void)
{
    memset(lent, 0, fw_ipc_permits_size(CONNECTIONS));
    memset(all, 0, CONNECTIONS * sizeof *all);
    CHECK(fw_ipc_permits_init(lent, CONNECTIONS) == 0);
}

static void use(void)
{
    CHECK(request(lent, all) == 0);
}

static void survive(void)
{
    use();
    if (shared->is_alone)
        CHECK(fw_ipc_permits_value(lent) == CONNECTIONS);
}

static const struct kill_case cases[] = {{"connections", reset, NULL, NULL, use, use, survive, 0},
                                         {.name = NULL}};

const struct kill_table permits_table = {.name = "permits", .cases = cases, .prepare = prepare};
