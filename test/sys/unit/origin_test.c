/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <grp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "in_child.h"
#include "sys/origin.h"

/* src/sys/origin.c: where and when a process runs. */

TEST(the_same_in_every_process)
{
    uint64_t here = fw_pid_namespace_(), now = fw_boot_();

    assert_in_child(fw_pid_namespace_() == here && fw_boot_() == now);
}

TEST(known_where_there_is_proc)
{
    if (access("/proc/self/ns/pid", F_OK) == 0)
        assert_int_not_equal(fw_pid_namespace_(), 0);
    if (access("/proc/sys/kernel/random/boot_id", R_OK) == 0)
        assert_int_not_equal(fw_boot_(), 0);
}

TEST(errno_stays)
{
    errno = EDOM;
    fw_pid_namespace_();
    fw_boot_();
    assert_int_equal(errno, EDOM);
}

static bool own_start(uint64_t *started)
{
    struct fw_thread_about_ about;
    bool found = fw_thread_about_((uint32_t)syscall(SYS_gettid), &about);

    if (found)
        *started = about.started;
    return found;
}

enum { NOT_ROOT = 2 };

static int have_many_groups(void)
{
    static gid_t groups[3000];
    uint64_t started = 0;

    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++)
        groups[i] = 1000000 + i;
    if (setgroups(sizeof groups / sizeof *groups, groups) != 0)
        return NOT_ROOT;
    return own_start(&started) && started != 0 ? 0 : 1;
}

/* A list of groups that is longer than any buffer; only root can have one. */
TEST(with_many_groups)
{
    uint64_t started = 0;
    int status;

    if (!own_start(&started) || (status = in_child(have_many_groups)) == NOT_ROOT)
        skip(); /* or there is no /proc of this pid namespace */
    assert_int_equal(status, 0);
}

/* No thread that runs was started later; one is, that starts two ticks later. */
TEST(knows_when_a_thread_starts_that_starts_now)
{
    uint64_t now = fw_start_now_(), started = 0;

    if (!own_start(&started))
        skip();
    assert_false(fw_is_later_start_(started, now));
    assert_true(fw_is_later_start_(now + 1, now));
    assert_false(fw_is_later_start_(0, now) || fw_is_later_start_(now, 0));
    assert_false(fw_is_later_start_(now + (UINT64_C(1) << 40), now)); /* another time namespace */
    while (fw_start_now_() <= now + 1)
        usleep(1000);
    assert_in_child(own_start(&started) && fw_is_later_start_(started, now));
}

/* From the authors' table of FNV-1a, 64 bits. */
TEST(the_hash_is_fnv_1a)
{
    assert_true(fw_hash_(FW_HASH_START_, "", 0) == UINT64_C(0xcbf29ce484222325));
    assert_true(fw_hash_(FW_HASH_START_, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(fw_hash_(FW_HASH_START_, "foobar", 6) == UINT64_C(0x85944171f73967e8));
}

UNIT_MAIN(NULL, NULL)
