/* SPDX-License-Identifier: MIT */
#include <sched.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/processors.h"
#include "sys/vdso.h"
#include "test/support/now.h"
#include "test/support/unit.h"

/* src/sys/clock.c, vdso.c and processors.c: what the machine has. */

TEST(the_clock_is_the_monotonic_one)
{
    for (int i = 0; i < 1000; i++) {
        uint64_t before = now_ns();
        uint64_t now = fw_clock_ns_();
        uint64_t after = now_ns();

        assert_true(before <= now && now <= after);
    }
}

TEST(both_clocks_can_be_read)
{
    static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME};

    for (int i = 0; i < 2; i++) {
        struct timespec before, now, after;

        clock_gettime(clocks[i], &before);
        fw_clock_get_(clocks[i], &now);
        clock_gettime(clocks[i], &after);
        assert_true(before.tv_sec <= now.tv_sec && now.tv_sec <= after.tv_sec);
        assert_true(now.tv_nsec >= 0 && now.tv_nsec < 1000000000);
    }
}

TEST(pauses_and_yields_return)
{
    for (int i = 0; i < 1000; i++) {
        fw_pause_();
        fw_yield_();
    }
}

typedef int clock_function(clockid_t clock, struct timespec *now);

static clock_function *find_clock(void)
{
    static const char *const names[] = {"__vdso_clock_gettime", "__kernel_clock_gettime"};
    union {
        void *address;
        clock_function *function;
    } found = {NULL};

    for (int i = 0; i < 2 && found.address == NULL; i++)
        found.address = fw_vdso_(names[i]);
    return found.address != NULL ? found.function : NULL;
}

TEST(a_function_is_found_by_its_name)
{
    clock_function *function = find_clock();
    struct timespec before, now, after;

    if (getauxval(AT_SYSINFO_EHDR) == 0)
        skip(); /* no such library: an emulator */
    assert_non_null(function);
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert_int_equal(function(CLOCK_MONOTONIC, &now), 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true(before.tv_sec <= now.tv_sec && now.tv_sec <= after.tv_sec);
}

TEST(no_other_name_is)
{
    assert_null(fw_vdso_(""));
    assert_null(fw_vdso_("__vdso_clock_gettime_"));
    assert_null(fw_vdso_("clock_gettim"));
    assert_null(fw_vdso_("LINUX_2.6 "));
}

TEST(there_are_as_many_as_the_process_may_use_or_more)
{
    uint32_t n = fw_processors_();
    cpu_set_t usable;

    assert_true(n >= 1);
    assert_true(n >= (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
    if (sched_getaffinity(0, sizeof usable, &usable) == 0)
        assert_true(n >= (uint32_t)CPU_COUNT(&usable));
    assert_int_equal(fw_processors_(), n);
}

UNIT_MAIN(NULL, NULL)
