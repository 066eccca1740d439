/* SPDX-License-Identifier: MIT */
#include "test/support/testing.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/running_page.h"

#include "sys/running.h"

/* src/sys/running_ring.c: nothing changes but what somebody hears. */

static void errno_stays(void **state)
{
    static const uint32_t ways[] = {0, FW_ASSIST_BY_RING, FW_ASSIST_BY_WAIT, 77};

    (void)state;
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        errno = EDOM;
        fw_running_ring_(ways[i]);
        assert_int_equal(errno, EDOM);
    }
}

static void no_child_is_reaped(void **state)
{
    siginfo_t ended;
    pid_t pid = fork();

    (void)state;
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(7);
    assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
    fw_running_ring_(FW_ASSIST_BY_RING);
    fw_running_ring_(FW_ASSIST_BY_WAIT);
    assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED), 0);
    assert_int_equal(ended.si_status, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errno_stays),
        cmocka_unit_test(no_child_is_reaped),
    };
    return cmocka_run_group_tests_name("running_ring", tests, NULL, NULL);
}
