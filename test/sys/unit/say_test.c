/* SPDX-License-Identifier: MIT */
/* sys/say.h: one line, one write, errno kept. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sys/say.h"
#include "test/support/testing.h"

static void a_line_comes_in_one_piece(void **state)
{
    char got[100] = {0};
    int ends[2];
    int saved = dup(STDERR_FILENO);
    ssize_t length;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    errno = ERANGE;
    fw_say_("nothing else");
    assert_int_equal(errno, ERANGE);
    dup2(saved, STDERR_FILENO);
    length = read(ends[0], got, sizeof got);
    assert_int_equal(length, (ssize_t)strlen("furwock: nothing else\n"));
    assert_string_equal(got, "furwock: nothing else\n");
}

static void errno_is_kept_where_nobody_listens(void **state)
{
    int saved = dup(STDERR_FILENO);

    (void)state;
    close(STDERR_FILENO);
    errno = ERANGE;
    fw_say_("nothing");
    assert_int_equal(errno, ERANGE);
    dup2(saved, STDERR_FILENO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_comes_in_one_piece),
        cmocka_unit_test(errno_is_kept_where_nobody_listens),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
