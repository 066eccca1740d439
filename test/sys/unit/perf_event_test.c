/* SPDX-License-Identifier: MIT */
/* src/sys/perf_event.c on this machine's kernel. */

#include <errno.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include "sys/perf_event.h"
#include "test/support/testing.h"

/* A counter of the kernel's own, that every machine has, if the process may use any. */
static void a_counter_is_opened_or_refused(void **state)
{
    struct perf_event_attr attributes = {.type = PERF_TYPE_SOFTWARE,
                                         .size = sizeof attributes,
                                         .config = PERF_COUNT_SW_TASK_CLOCK,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1};
    int fd = fw_perf_event_open_(&attributes);
    uint64_t count;

    (void)state;
    if (fd == -EACCES || fd == -EPERM || fd == -ENOSYS)
        skip();
    assert_true(fd >= 0);
    assert_int_equal(read(fd, &count, sizeof count), sizeof count);
    close(fd);
}

static void nonsense_is_an_error(void **state)
{
    struct perf_event_attr attributes = {.type = PERF_TYPE_MAX + 1000, .size = sizeof attributes};

    (void)state;
    errno = ECHILD;
    assert_true(fw_perf_event_open_(&attributes) < 0);
    assert_int_equal(errno, ECHILD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counter_is_opened_or_refused),
        cmocka_unit_test(nonsense_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
