/* SPDX-License-Identifier: MIT */
/* posix/settings.h: what is understood, and what is not. */

#include <furwock/wait.h>

#include "settings.h"
#include "test/support/unit.h"

static const fw_wait_policy built_in = {.kind = FW_WAIT_DEFAULT};

TEST(words_are_understood)
{
    struct fw_settings_ s = {false};

    assert_true(fw_settings_read_("fair", &s));
    assert_true(s.fair);
    assert_true(fw_settings_read_("greedy", &s));
    assert_false(s.fair);
    assert_true(fw_settings_read_("spin=20,fair", &s));
    assert_true(s.fair);
    assert_int_equal(fw_wait_get_default().kind, FW_WAIT_SPIN_THEN_BLOCK);
    assert_int_equal(fw_wait_get_default().spin_ns, 20000);
    fw_wait_set_default(&built_in);
}

TEST(no_spinning_is_a_policy)
{
    struct fw_settings_ s = {false};

    assert_true(fw_settings_read_("spin=0", &s));
    assert_int_equal(fw_wait_get_default().kind, FW_WAIT_BLOCK);
    fw_wait_set_default(&built_in);
}

TEST(the_rest_is_refused)
{
    static const char *const texts[] = {
        "",
        "Fair",
        "fair,",
        ",fair",
        "fai",
        "fairer",
        "spin",
        "spin=",
        "spin=1x",
        "spin=-1",
        "spin= 1",
        "spin=99999999999999999999",
        "spin=18446744073709551617",
        "fair spin=1",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct fw_settings_ s = {false};

        if (fw_settings_read_(texts[i], &s))
            fail_msg("understood: \"%s\"", texts[i]);
    }
    assert_int_equal(fw_wait_get_default().kind, FW_WAIT_ADAPTIVE);
}

UNIT_MAIN(NULL, NULL)
