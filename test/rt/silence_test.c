/* SPDX-License-Identifier: MIT */
/*
 * No system call where nobody is in the way: pairs under strict seccomp, which kills a thread over
 * any call but read, write and its exit.  Beside other tasks of the CPU, which look into their
 * records.
 */
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/rt/scenario.h"

enum { PAIRS = 20000 };

static fw_rt_group *group;
static int is_done;

static void *be_silent(void *unused)
{
    bool nests = protocol == FW_RT_PIP || protocol == FW_RT_IPCP || protocol == FW_RT_PCP_DU;
    fw_rt_task *task = begin_task(group, NULL, cpus[0], 10, "abc");
    int error = 0;

    (void)unused;
    EXPECT(fw_rt_lock(task, 0), 0); /* the first time it looks who else is there */
    EXPECT(fw_rt_unlock(task, 0), 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
    for (unsigned i = 0; i < PAIRS; i++) {
        error |= fw_rt_lock(task, 0);
        if (nests)
            error |= fw_rt_trylock(task, 1) | fw_rt_lock(task, 2) | fw_rt_unlock(task, 2) |
                     fw_rt_unlock(task, 1);
        error |= fw_rt_unlock(task, 0);
    }
    if (error == 0)
        __atomic_store_n(&is_done, 1, __ATOMIC_RELEASE);
    syscall(SYS_exit, 0);
    return NULL;
}

/* The child's first thread, another task: says by its exit whether the silent one came through. */
static void play_in_child(void)
{
    fw_rt_task *task;
    pthread_t silent;

    alarm(100);
    EXPECT(fw_rt_group_open(&group, NULL, FW_RT_TIER_A), 0);
    task = begin_task(group, NULL, cpus[0], 20, "abc");
    EXPECT(pthread_create(&silent, NULL, be_silent, NULL), 0);
    pthread_join(silent, NULL);
    EXPECT(fw_rt_resumed(task), 0);
    _exit(__atomic_load_n(&is_done, __ATOMIC_ACQUIRE) ? EXIT_SUCCESS : EXIT_FAILURE);
}

int main(void)
{
    static const fw_rt_protocol protocols[] = {FW_RT_PIP, FW_RT_IPCP, FW_RT_PCP_DU, FW_RT_MPCP_DU,
                                               FW_RT_FMLP_DU};

    scenario_begin();
    for (unsigned i = 0; i < sizeof protocols / sizeof *protocols; i++) {
        int status = -1;
        pid_t child;
        protocol = protocols[i];
        child = fork();
        if (child == 0)
            play_in_child();
        CHECK(waitpid(child, &status, 0) == child);
        if (status != 0) {
            fprintf(stderr, "%s: status %#x\n", fw_rt_protocol_name(protocol), (unsigned)status);
            return EXIT_FAILURE;
        }
        printf("%s: %d pairs, no system call\n", fw_rt_protocol_name(protocol), PAIRS);
    }
    return 0;
}
