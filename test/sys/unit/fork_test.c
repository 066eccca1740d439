/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <unistd.h>

#include "sys/fork.h"
#include "test/support/child.h"
#include "test/support/unit.h"

/* src/sys/fork.c: handlers.  The generation, as lock words have it: thread_test.c. */

static char called[8];
static unsigned calls;

static void before(void)
{
    called[calls++] = 'b';
}

static void in_parent(void)
{
    called[calls++] = 'p';
}

static void in_child(void)
{
    called[calls++] = 'c';
}

static void also_in_child(void)
{
    called[calls++] = 'a';
}

TEST(handlers_run_in_the_order_of_registration)
{
    pid_t child;

    assert_int_equal(fw_fork_handlers_(before, in_parent, in_child), 0);
    fw_at_fork_(also_in_child);
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(strcmp(called, "bca") == 0 ? 0 : 1);
    assert_int_equal(wait_for_child(child), 0);
    assert_string_equal(called, "bp");
}

UNIT_MAIN(NULL, NULL)
