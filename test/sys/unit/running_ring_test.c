/* SPDX-License-Identifier: MIT */
#include "test/support/unit.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/running_page.h"

#include "sys/running.h"

/* src/sys/running_ring.c: nothing changes but what somebody hears. */

TEST(errno_stays)
{
    static const uint32_t ways[] = {0, FW_ASSIST_BY_RING, FW_ASSIST_BY_WAIT, 77};

    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        errno = EDOM;
        fw_running_ring_(ways[i]);
        assert_int_equal(errno, EDOM);
    }
}

TEST(no_child_is_reaped)
{
    siginfo_t ended;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0)
        _exit(7);
    assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
    fw_running_ring_(FW_ASSIST_BY_RING);
    fw_running_ring_(FW_ASSIST_BY_WAIT);
    assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED), 0);
    assert_int_equal(ended.si_status, 7);
}

UNIT_MAIN(NULL, NULL)
