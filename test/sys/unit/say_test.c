/* SPDX-License-Identifier: MIT */
/* sys/say.h: one line, one write, errno kept. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sys/say.h"
#include "test/support/unit.h"

TEST(a_line_comes_in_one_piece)
{
    char got[100] = {0};
    int ends[2];
    int saved = dup(STDERR_FILENO);
    ssize_t length;

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

TEST(errno_is_kept_where_nobody_listens)
{
    int saved = dup(STDERR_FILENO);

    close(STDERR_FILENO);
    errno = ERANGE;
    fw_say_("nothing");
    assert_int_equal(errno, ERANGE);
    dup2(saved, STDERR_FILENO);
}

UNIT_MAIN(NULL, NULL)
