/* SPDX-License-Identifier: MIT */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "sys/fences.h"
#include "sys/release.h"
#include "test/support/child.h"
#include "test/support/unit.h"

/* src/sys/fences.h, and what becomes of it: how many calls a fence is. */

enum { NO_SEQUENCES = 50, NO_FILTER = 77 };

TEST(kernels_are_told_apart)
{
    static const char *const one[] = {"6.18.0",          "6.18.44-fc-v595", "6.18",  "6.19.0-rc1",
                                      "6.1.157-generic", "6.1.158",         "7.0.0", "10.2"};
    static const char *const two[] = {"5.10.0-30-amd64", "5.15.200", "6.1.0-40-amd64",
                                      "6.1.156",         "6.6.200",  "6.17.9",
                                      "6.10.157",        "4.19",     ""};

    for (size_t i = 0; i < sizeof one / sizeof *one; i++)
        assert_int_equal(fw_fences_needed_(one[i]), 1);
    for (size_t i = 0; i < sizeof two / sizeof *two; i++)
        assert_int_equal(fw_fences_needed_(two[i]), 2);
}

static volatile sig_atomic_t calls;

/* The call was not made: it returns 0 all the same. */
static void note_call(int number, siginfo_t *info, void *context)
{
    ucontext_t *interrupted = context;

    (void)number;
    if (info->si_syscall == SYS_membarrier)
        calls++;
    interrupted->uc_mcontext.gregs[REG_RAX] = 0;
}

/* From now on membarrier only seems to be called: the filter lets a signal say so. */
static bool watch_calls(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    struct sigaction action = {.sa_sigaction = note_call, .sa_flags = SA_SIGINFO};

    sigaction(SIGSYS, &action, NULL);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

/* A preemption may abort any single try, but not a hundred in a row. */
static bool plain_works(void)
{
    for (int i = 0; i < 100; i++) {
        uint64_t word = 0x12345601u;

        if (fw_release_plain_(&word, 0x12345601u))
            return true;
    }
    return false;
}

/* What a process that was started with that in its environment exits with. */
static int count_calls(void)
{
    if (!plain_works())
        return NO_SEQUENCES;
    if (!watch_calls())
        return NO_FILTER;
    fw_release_fence_();
    return calls;
}

static int started_with(const char *fences)
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        if (fences != NULL)
            setenv("FURWOCK_FENCES", fences, 1);
        else
            unsetenv("FURWOCK_FENCES");
        execl("/proc/self/exe", "fences", "count", NULL);
        _exit(100);
    }
    return wait_for_child(pid);
}

TEST(the_environment_says_how_many)
{
    if (!plain_works() || started_with("1") == NO_FILTER)
        skip();
    assert_int_equal(started_with("0"), NO_SEQUENCES);
    assert_int_equal(started_with("1"), 1);
    assert_int_equal(started_with("2"), 2);
}

TEST(else_the_kernel_does)
{
    int own = started_with(NULL);

    if (!plain_works() || own == NO_FILTER)
        skip();
    assert_in_range(own, 1, FW_FENCES_MOST_);
    assert_int_equal(started_with("3"), own);
    assert_int_equal(started_with("10"), own);
    assert_int_equal(started_with("many"), own);
    assert_int_equal(started_with(""), own);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return count_calls();
    return unit_run(NULL, NULL);
}
