/* SPDX-License-Identifier: MIT */
#include <sys/auxv.h>
#include <time.h>

#include "sys/vdso.h"
#include "test/support/unit.h"

/* src/sys/vdso.c. */

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

UNIT_MAIN(NULL, NULL)
