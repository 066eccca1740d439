/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "processes.h"
#include "test/support/testing.h"

#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char text[400];

void fixture_enter(void)
{
    struct fw_assist_options options = {.readers = FW_ASSIST_READ_BY_ROOT};
    fw_bpf_result result;

    namespace_enter();
    result = fw_assist_start(&options, text, sizeof text);
    if (result == FW_BPF_NOT_PERMITTED || result == FW_BPF_NOT_SUPPORTED)
        (skip)(text); /* cmocka has a macro of that name */
    if (result == FW_BPF_DONE)
        fw_assist_stop(text, sizeof text);
}

void fixture_start(fw_assist_readers readers, uint32_t registration)
{
    struct fw_assist_options options = {
        .readers = readers, .group = STRANGERS_ID, .registration = registration};

    if (fw_assist_start(&options, text, sizeof text) != FW_BPF_DONE)
        fail_msg("%s", text);
}

void fixture_stop(void)
{
    if (fw_assist_stop(text, sizeof text) != FW_BPF_DONE)
        fail_msg("%s", text);
}

int fixture_knows(uint32_t registration)
{
    struct fw_assist_options options = {.registration = registration};
    fw_bpf_result result = fw_assist_start(&options, text, sizeof text);

    if (result == FW_BPF_DONE)
        fixture_stop();
    else
        print_message("%s\n", text);
    return result == FW_BPF_DONE;
}

void fixture_ring(const struct fw_assist_page *page)
{
    siginfo_t info;

    if (page->registration == FW_ASSIST_BY_RING)
        prctl(FW_ASSIST_RING, FW_ASSIST_VERSION, 0, 0, 0);
    else if (page->registration == FW_ASSIST_BY_WAIT)
        waitid(P_PID, (id_t)getpid(), &info, WEXITED | WNOHANG);
}

uint64_t fixture_entry(const struct fw_assist_page *page, int tid)
{
    struct stat s;

    if (stat("/proc/thread-self/ns/pid", &s) < 0)
        return 0;
    uint32_t nr = (uint32_t)tid, ns = (uint32_t)s.st_ino;
    uint64_t entry = __atomic_load_n(&page->threads[fw_assist_index(nr, ns)], __ATOMIC_RELAXED);
    return (entry & FW_ASSIST_TAG) == fw_assist_tag(nr, ns) ? entry : 0;
}

int fixture_see(const struct fw_assist_page *page, int tid, uint64_t state)
{
    for (int i = 0; i < FIXTURE_DEADLINE_MS; i++) {
        /* The caller stays on its CPU for a while: it is the one that others are preempted for. */
        for (int k = 0; k < 1000; k++)
            if ((fixture_entry(page, tid) & FW_ASSIST_STATE) == state)
                return 1;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return 0;
}

int fixture_in_child(int (*run)(void), unsigned user)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        if (user != 0 && (setgroups(0, NULL) < 0 || setresgid(user, user, user) < 0 ||
                          setresuid(user, user, user) < 0))
            _exit(99);
        _exit(run());
    }
    assert_true(child > 0);
    status = wait_for_child(child);
    return status >= 0 ? status : 100 - status;
}

int fixture_in_new_namespace(int (*run)(void))
{
    int status;

    EXPECT(unshare(CLONE_NEWPID | CLONE_NEWNS) == 0);
    pid_t child = fork();
    if (child == 0)
        _exit(mount("proc", "/proc", "proc", 0, NULL) == 0 ? run() : 1);
    EXPECT(child > 0 && waitpid(child, &status, 0) == child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return 0;
}

void fixture_share_one_cpu(void)
{
    cpu_set_t all, one;

    CPU_ZERO(&one);
    sched_getaffinity(0, sizeof all, &all);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &one);
            break;
        }
    sched_setaffinity(0, sizeof one, &one);
}
