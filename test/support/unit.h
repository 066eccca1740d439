/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_SUPPORT_UNIT_H
#define FW_TEST_SUPPORT_UNIT_H

#include <assert.h>

#include "testing.h"

/*
 * Unit tests that register themselves, in the order in which they are written:
 *
 *     TEST(says_what_is_wrong)
 *     {
 *         assert_int_equal(...);
 *     }
 *
 *     UNIT_MAIN(make, unmake)
 *
 * `make` comes before each test, and returns 0; `unmake` comes after it.  Either may be NULL.  A
 * program that has more to do in main calls unit_run there.
 */
enum { UNIT_TESTS_MAX = 40 };

static struct unit_tests {
    struct CMUnitTest test[UNIT_TESTS_MAX];
    size_t n;
    int (*make)(void);
    void (*unmake)(void);
} unit_tests;

static inline int unit_make(void **state)
{
    (void)state;
    return unit_tests.make != NULL ? unit_tests.make() : 0;
}

static inline int unit_unmake(void **state)
{
    (void)state;
    if (unit_tests.unmake != NULL)
        unit_tests.unmake();
    return 0;
}

static inline void unit_add(const char *name, CMUnitTestFunction test)
{
    assert(unit_tests.n < UNIT_TESTS_MAX);
    unit_tests.test[unit_tests.n++] = (struct CMUnitTest){name, test, unit_make, unit_unmake, NULL};
}

static inline int unit_run(int (*make)(void), void (*unmake)(void))
{
    unit_tests.make = make;
    unit_tests.unmake = unmake;
    return _cmocka_run_group_tests("unit", unit_tests.test, unit_tests.n, NULL, NULL);
}

#define TEST(name)                                            \
    static void name(void **);                                \
    __attribute__((constructor)) static void add_##name(void) \
    {                                                         \
        unit_add(#name, name);                                \
    }                                                         \
    static void name(void **state __attribute__((unused)))

#define UNIT_MAIN(make, unmake)            \
    int main(void)                         \
    {                                      \
        return unit_run((make), (unmake)); \
    }

#endif
