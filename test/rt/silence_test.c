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

enum { PAIRS = 20000, DEEP = 3 };

static fw_rt_group *group;
static fw_rt_protocol protocol;
static int is_done;

static fw_rt_task *begin(int priority, unsigned lock[DEEP])
{
    struct fw_rt_task_options options = {.cpu = scenario_cpu(), .priority = priority};
    fw_rt_task *task;

    SCENARIO_EXPECT(fw_rt_task_begin(&task, group, &options), 0);
    for (unsigned i = 0; i < DEEP; i++) {
        char name[2] = {(char)('A' + (int)i), '\0'};
        SCENARIO_EXPECT(fw_rt_open(task, name, protocol, 0, &lock[i]), 0);
    }
    return task;
}

static void *be_silent(void *unused)
{
    bool nests = protocol == FW_RT_PIP || protocol == FW_RT_IPCP || protocol == FW_RT_PCP_DU;
    unsigned lock[DEEP];
    fw_rt_task *task = begin(10, lock);
    int error = 0;

    (void)unused;
    SCENARIO_EXPECT(fw_rt_lock(task, lock[0]), 0); /* the first time it looks who else is there */
    SCENARIO_EXPECT(fw_rt_unlock(task, lock[0]), 0);
    SCENARIO_CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
    for (unsigned i = 0; i < PAIRS; i++) {
        error |= fw_rt_lock(task, lock[0]);
        if (nests)
            error |= fw_rt_trylock(task, lock[1]) | fw_rt_lock(task, lock[2]) |
                     fw_rt_unlock(task, lock[2]) | fw_rt_unlock(task, lock[1]);
        error |= fw_rt_unlock(task, lock[0]);
    }
    if (error == 0)
        __atomic_store_n(&is_done, 1, __ATOMIC_RELEASE);
    syscall(SYS_exit, 0);
    return NULL;
}

/* The child's first thread, another task: says by its exit whether the silent one came through. */
static void play_in_child(void)
{
    unsigned lock[DEEP];
    fw_rt_task *task;
    pthread_t silent;

    alarm(100);
    SCENARIO_EXPECT(fw_rt_group_open(&group, NULL, FW_RT_TIER_A), 0);
    task = begin(20, lock);
    SCENARIO_EXPECT(pthread_create(&silent, NULL, be_silent, NULL), 0);
    pthread_join(silent, NULL);
    SCENARIO_EXPECT(fw_rt_resumed(task), 0);
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
        SCENARIO_CHECK(waitpid(child, &status, 0) == child);
        if (status != 0) {
            fprintf(stderr, "%s: status %#x\n", fw_rt_protocol_name(protocol), (unsigned)status);
            return EXIT_FAILURE;
        }
        printf("%s: %d pairs, no system call\n", fw_rt_protocol_name(protocol), PAIRS);
    }
    return 0;
}
