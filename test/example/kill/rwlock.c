/* SPDX-License-Identifier: MIT */
/* The price of furwock/ipc/rwlock.h. */
#include <furwock/ipc/rwlock.h>

#include <errno.h>
#include <string.h>

struct price;
int quote(struct price *p, long bid, long ask);
int spread(struct price *p, long *spread);

#include "ipc_rwlock_example.h"
#include "region.h"

enum { SPREAD = 7 };

static struct price *p;

static void prepare(void)
{
    p = object_new(sizeof *p);
}

static void reset(void)
{
    memset(p, 0, sizeof *p);
    CHECK(quote(p, 1, 1 + SPREAD) == 0);
}

static void quote_and_look(void)
{
    long s = 0;
    int error;

    CHECK(quote(p, 2, 2 + SPREAD) == 0);
    error = spread(p, &s);
    CHECK(error == 0 && s == SPREAD);
}

/* There is no price after a death, until the next quote; there is never half of one. */
static void survive(void)
{
    long s = SPREAD;
    int error = spread(p, &s);

    CHECK((error == 0 || error == EOWNERDEAD) && s == SPREAD);
    quote_and_look();
}

static const struct kill_case cases[] = {
    {"price", reset, NULL, NULL, quote_and_look, quote_and_look, survive, 0}, {.name = NULL}};

const struct kill_table rwlock_table = {.name = "rwlock", .cases = cases, .prepare = prepare};
