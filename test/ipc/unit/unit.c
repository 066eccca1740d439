/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <assert.h>

static int (*make_one)(void);
static void (*unmake_one)(void);

static int set_up(void **state)
{
    (void)state;
    return make_one != NULL ? make_one() : 0;
}

static int tear_down(void **state)
{
    (void)state;
    if (unmake_one != NULL)
        unmake_one();
    return 0;
}

void unit_add(struct unit_tests *tests, const char *name, CMUnitTestFunction test)
{
    assert(tests->n < UNIT_TESTS_MAX);
    tests->test[tests->n++] = (struct CMUnitTest){name, test, set_up, tear_down, NULL};
}

int unit_run(struct unit_tests *tests, int (*make)(void), void (*unmake)(void))
{
    make_one = make;
    unmake_one = unmake;
    return _cmocka_run_group_tests("unit_ipc", tests->test, tests->n, NULL, NULL);
}
