/* SPDX-License-Identifier: MIT */
#include <furwock/version.h>

#include "test/support/unit.h"

/* src/core/version.c: the library says the version of its headers, in both forms. */

TEST(the_library_has_the_version_of_its_headers)
{
    assert_int_equal(fw_version(), FURWOCK_VERSION);
    assert_string_equal(fw_version_string(), FURWOCK_VERSION_STRING);
}

TEST(versions_are_ordered)
{
    assert_true(FURWOCK_VERSION_NUMBER(1, 0, 0) > FURWOCK_VERSION_NUMBER(0, 999, 999));
    assert_true(FURWOCK_VERSION_NUMBER(0, 3, 0) > FURWOCK_VERSION_NUMBER(0, 2, 999));
    assert_true(FURWOCK_VERSION_NUMBER(0, 2, 1) > FURWOCK_VERSION_NUMBER(0, 2, 0));
    assert_int_equal(FURWOCK_VERSION_NUMBER(12, 34, 56), 12034056);
}

UNIT_MAIN(NULL, NULL)
