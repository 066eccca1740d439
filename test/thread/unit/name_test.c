/* SPDX-License-Identifier: MIT */
/* Names for locks: the table of the process. */
#include <furwock/name.h>

#include <errno.h>
#include <string.h>

#include "test/support/unit.h"

static const char *name_of(const void *lock)
{
    for (unsigned i = 0; i < FW_NAMES; i++)
        if (fw_names_[i].key == (uintptr_t)lock)
            return fw_names_[i].text;
    return NULL;
}

TEST(a_name_is_kept_replaced_and_taken_away)
{
    static int lock;

    assert_null(name_of(&lock));
    assert_int_equal(fw_name(&lock, "cache"), 0);
    assert_string_equal(name_of(&lock), "cache");
    assert_int_equal(fw_name(&lock, "index of the cache"), 0);
    assert_string_equal(name_of(&lock), "index of the cache");
    assert_int_equal(fw_name(&lock, NULL), 0);
    assert_string_equal(name_of(&lock), "");
}

TEST(a_long_name_is_cut_off)
{
    static int lock;
    char name[2 * FW_NAME_SIZE];

    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    assert_int_equal(fw_name(&lock, name), 0);
    assert_int_equal(strlen(name_of(&lock)), FW_NAME_SIZE - 1);
}

TEST(nothing_has_no_name)
{
    assert_int_equal(fw_name(NULL, "nothing"), EINVAL);
}

UNIT_MAIN(NULL, NULL)
