/* SPDX-License-Identifier: MIT */
/* src/sys/perf_event.c on this machine's kernel. */

#include <errno.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include "sys/perf_event.h"
#include "test/support/unit.h"

/* A counter of the kernel's own, that every machine has, if the process may use any. */
TEST(a_counter_is_opened_or_refused)
{
    struct perf_event_attr attributes = {.type = PERF_TYPE_SOFTWARE,
                                         .size = sizeof attributes,
                                         .config = PERF_COUNT_SW_TASK_CLOCK,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1};
    int fd = fw_perf_event_open_(&attributes);
    uint64_t count;

    if (fd == -EACCES || fd == -EPERM || fd == -ENOSYS)
        skip();
    assert_true(fd >= 0);
    assert_int_equal(read(fd, &count, sizeof count), sizeof count);
    close(fd);
}

TEST(nonsense_is_an_error)
{
    struct perf_event_attr attributes = {.type = PERF_TYPE_MAX + 1000, .size = sizeof attributes};

    errno = ECHILD;
    assert_true(fw_perf_event_open_(&attributes) < 0);
    assert_int_equal(errno, ECHILD);
}

UNIT_MAIN(NULL, NULL)
