/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_IPC_UNIT_H
#define FW_TEST_IPC_UNIT_H

#include "test/support/testing.h"

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
 * `make` comes before each test, and returns 0; `unmake` comes after it.  Either may be NULL.
 */
enum { UNIT_TESTS_MAX = 40 };

struct unit_tests {
    struct CMUnitTest test[UNIT_TESTS_MAX];
    size_t n;
};

void unit_add(struct unit_tests *tests, const char *name, CMUnitTestFunction test);
int unit_run(struct unit_tests *tests, int (*make)(void), void (*unmake)(void));

static struct unit_tests unit_tests __attribute__((unused));

#define TEST(name)                                            \
    static void name(void **);                                \
    __attribute__((constructor)) static void add_##name(void) \
    {                                                         \
        unit_add(&unit_tests, #name, name);                   \
    }                                                         \
    static void name(void **state __attribute__((unused)))

#define UNIT_MAIN(make, unmake)                         \
    int main(void)                                      \
    {                                                   \
        return unit_run(&unit_tests, (make), (unmake)); \
    }

#endif
