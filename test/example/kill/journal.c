/* SPDX-License-Identifier: MIT */
/* The bank of furwock/ipc/journal.h. */
#include <furwock/ipc/journal.h>

#include <errno.h>
#include <string.h>

struct bank;
int bank_open(struct bank *b, fw_ipc_journal *j);
int transfer(struct bank *b, fw_ipc_journal *j, int from, int to, long amount);

#include "ipc_journal_example.h"
#include "region.h"

static struct bank *b;
static fw_ipc_journal *j;

static void prepare(void)
{
    b = object_new(sizeof *b);
    j = object_new(fw_ipc_journal_size(JOURNAL));
}

static void reset(void)
{
    memset(b, 0, sizeof *b);
    memset(j, 0, fw_ipc_journal_size(JOURNAL));
}

static void use(void)
{
    CHECK(bank_open(b, j) == 0);
    CHECK(transfer(b, j, 3, 4, 1) == 0);
}

static void survive(void)
{
    CHECK(bank_open(b, j) == 0);
    CHECK(transfer(b, j, 3, 4, 0) == 0);
    CHECK(b->account[3] + b->account[4] == 0);
    shared->outcome = (int)b->account[4];
}

static const struct kill_case cases[] = {{"bank", reset, NULL, NULL, use, use, survive, 1},
                                         {.name = NULL}};

const struct kill_table journal_table = {.name = "journal", .cases = cases, .prepare = prepare};
