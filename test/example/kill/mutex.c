/* SPDX-License-Identifier: MIT */
/* The tally of furwock/ipc/mutex.h. */
#include <furwock/ipc/mutex.h>

#include <errno.h>
#include <string.h>

struct tally;
int add(struct tally *t, long value);

#include "ipc_mutex_example.h"
#include "region.h"

enum { VALUE = 5 };

static struct tally *t;

static void prepare(void)
{
    t = object_new(sizeof *t);
}

static void reset(void)
{
    memset(t, 0, sizeof *t);
    CHECK(add(t, VALUE) == 0);
}

static void use(void)
{
    CHECK(add(t, VALUE) == 0);
}

static void survive(void)
{
    CHECK(add(t, VALUE) == 0);
    CHECK(fw_ipc_mutex_lock(&t->lock) == 0);
    CHECK(t->count > 0 && t->sum == VALUE * t->count);
    CHECK(fw_ipc_mutex_unlock(&t->lock) == 0);
}

static const struct kill_case cases[] = {{"tally", reset, NULL, NULL, use, use, survive, 0},
                                         {.name = NULL}};

const struct kill_table mutex_table = {.name = "mutex", .cases = cases, .prepare = prepare};
