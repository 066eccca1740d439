/* SPDX-License-Identifier: MIT */
/* The mailbox of furwock/ipc/cond.h. */
#include <furwock/ipc/cond.h>

#include <errno.h>
#include <string.h>

struct mailbox;
int put(struct mailbox *b);
int get(struct mailbox *b);

#include "ipc_cond_example.h"
#include "region.h"

static struct mailbox *b;

static void prepare(void)
{
    b = object_new(sizeof *b);
}

static void reset(void)
{
    memset(b, 0, sizeof *b);
}

static void put_and_get(void)
{
    CHECK(put(b) == 0);
    CHECK(get(b) == 0);
}

/* At most the letter of who died is left. */
static void survive(void)
{
    put_and_get();
    CHECK(b->letters <= 2);
}

static const struct kill_case cases[] = {
    {"mailbox", reset, NULL, NULL, put_and_get, put_and_get, survive, 0}, {.name = NULL}};

const struct kill_table cond_table = {.name = "cond", .cases = cases, .prepare = prepare};
