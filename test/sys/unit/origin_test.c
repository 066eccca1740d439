/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <grp.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/origin.h"
#include "test/support/unit.h"

/* src/sys/origin.c: where and when a process runs. */

TEST(the_same_in_every_process)
{
    uint64_t here = fw_pid_namespace_(), now = fw_boot_();
    pid_t child = fork();
    int status;

    if (child == 0)
        _exit(fw_pid_namespace_() == here && fw_boot_() == now ? 0 : 1);
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
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

/* A list of groups that is longer than any buffer; only root can have one. */
TEST(with_many_groups)
{
    static gid_t groups[3000];
    struct fw_thread_about_ about;
    int status;

    if (!fw_thread_about_((uint32_t)syscall(SYS_gettid), &about))
        skip(); /* no /proc of this pid namespace */
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++)
        groups[i] = 1000000 + i;
    if (fork() == 0) {
        if (setgroups(sizeof groups / sizeof *groups, groups) != 0)
            _exit(2);
        _exit(!fw_thread_about_((uint32_t)syscall(SYS_gettid), &about) || about.started == 0);
    }
    assert_true(wait(&status) > 0);
    if (WEXITSTATUS(status) == 2)
        skip();
    assert_int_equal(status, 0);
}

/* No thread that runs was started later; one is, that starts two ticks later. */
TEST(knows_when_a_thread_starts_that_starts_now)
{
    uint64_t now = fw_start_now_();
    struct fw_thread_about_ about;
    int status;

    if (!fw_thread_about_((uint32_t)syscall(SYS_gettid), &about))
        skip();
    assert_false(fw_is_later_start_(about.started, now));
    assert_true(fw_is_later_start_(now + 1, now));
    assert_false(fw_is_later_start_(0, now) || fw_is_later_start_(now, 0));
    assert_false(fw_is_later_start_(now + (UINT64_C(1) << 40), now)); /* another time namespace */
    while (fw_start_now_() <= now + 1)
        usleep(1000);
    if (fork() == 0)
        _exit(!fw_thread_about_((uint32_t)syscall(SYS_gettid), &about) ||
              !fw_is_later_start_(about.started, now));
    assert_true(wait(&status) > 0);
    assert_int_equal(status, 0);
}

/* From the authors' table of FNV-1a, 64 bits. */
TEST(the_hash_is_fnv_1a)
{
    assert_true(fw_hash_(FW_HASH_START_, "", 0) == UINT64_C(0xcbf29ce484222325));
    assert_true(fw_hash_(FW_HASH_START_, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(fw_hash_(FW_HASH_START_, "foobar", 6) == UINT64_C(0x85944171f73967e8));
}

UNIT_MAIN(NULL, NULL)
