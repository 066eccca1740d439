/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_IN_CHILD_H
#define FW_TEST_IN_CHILD_H

#include <unistd.h>

#include "test/support/child.h"
#include "test/support/unit.h"

/* What the body returns in a forked child of the calling thread; -signal, if one ends the child. */
static inline int in_child(int (*body)(void))
{
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0)
        _exit(body());
    return wait_for_child(child);
}

/* It holds in a forked child. */
#define assert_in_child(condition)                   \
    do {                                             \
        pid_t child_ = fork();                       \
        assert_true(child_ >= 0);                    \
        if (child_ == 0)                             \
            _exit((condition) ? 0 : 1);              \
        assert_int_equal(wait_for_child(child_), 0); \
    } while (0)

#endif
