/* SPDX-License-Identifier: MIT */
/* The squares of furwock/ipc/once.h. */
#include <furwock/ipc/once.h>

#include <string.h>

struct squares;
int square_of(struct squares *s, unsigned i, unsigned *square);

#include "ipc_once_example.h"
#include "region.h"

static struct squares *s;

static void prepare(void)
{
    s = object_new(sizeof *s);
}

static void reset(void)
{
    memset(s, 0, sizeof *s);
}

static void use(void)
{
    for (unsigned i = 0; i < sizeof s->square / sizeof s->square[0]; i++) {
        unsigned square;
        CHECK(square_of(s, i, &square) == 0 && square == i * i);
    }
}

static const struct kill_case cases[] = {{"squares", reset, NULL, NULL, use, NULL, use, 0},
                                         {.name = NULL}};

const struct kill_table once_table = {.name = "once", .cases = cases, .prepare = prepare};
