/* SPDX-License-Identifier: MIT */
/* posix/settings.h: what is understood, and what is not. */

#include <furwock/wait.h>

#include "settings.h"
#include "test/support/testing.h"

static const fw_wait_policy built_in = {.kind = FW_WAIT_DEFAULT};

static void words_are_understood(void **state)
{
    struct fw_settings_ s = {false};

    (void)state;
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

static void no_spinning_is_a_policy(void **state)
{
    struct fw_settings_ s = {false};

    (void)state;
    assert_true(fw_settings_read_("spin=0", &s));
    assert_int_equal(fw_wait_get_default().kind, FW_WAIT_BLOCK);
    fw_wait_set_default(&built_in);
}

static void the_rest_is_refused(void **state)
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

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct fw_settings_ s = {false};

        if (fw_settings_read_(texts[i], &s))
            fail_msg("understood: \"%s\"", texts[i]);
    }
    assert_int_equal(fw_wait_get_default().kind, FW_WAIT_ADAPTIVE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_understood),
        cmocka_unit_test(no_spinning_is_a_policy),
        cmocka_unit_test(the_rest_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
