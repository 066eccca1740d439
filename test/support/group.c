/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The main function of a test group (fw_test_group in cmake/furwock.cmake): NAME runs that test.
 * The build writes TEST_GROUP_LIST, a header with TEST(name) for each, and renames their mains.
 */

#define TEST(name) int test_##name##_main(void);
#include TEST_GROUP_LIST
#undef TEST

static const struct {
    const char *name;
    int (*run)(void);
} tests[] = {
#define TEST(name) {#name, test_##name##_main},
#include TEST_GROUP_LIST
#undef TEST
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof tests / sizeof *tests; i++)
        if (strcmp(argv[1], tests[i].name) == 0)
            return tests[i].run();
    fprintf(stderr, "usage: %s NAME, where NAME is one of:\n", argv[0]);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        fprintf(stderr, "  %s\n", tests[i].name);
    return EXIT_FAILURE;
}
