/* SPDX-License-Identifier: MIT */
/*
 * A group between users.  Only root can become another one: skipped for all others.  The other user
 * keeps the right to real-time priorities, and nothing else of root's.
 */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <furwock/ipc/region.h>

#include "tasks.h"

enum { NOBODY = 65534 };

static char name[64];

/* Keeps CAP_SYS_NICE. */
static void become_nobody(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct caps[2] = {{.effective = 1u << CAP_SYS_NICE}};

    caps[0].permitted = caps[0].effective;
    CHECK(prctl(PR_SET_KEEPCAPS, 1) == 0);
    CHECK(setgroups(0, NULL) == 0);
    CHECK(setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
    CHECK(syscall(SYS_capset, &head, caps) == 0);
}

static fw_rt_group *open_shared(void)
{
    fw_rt_group *group;
    int error = fw_rt_group_open_shared(&group, name, FW_RT_TIER_A, 0666);

    if (error != 0)
        fail("shared group: %s (%s)", strerror(error), fw_rt_strerror());
    return group;
}

static void is_refused(void)
{
    fw_rt_group *group;

    CHECK(fw_rt_group_open(&group, name, FW_RT_TIER_A) == EPERM);
    CHECK(strstr(fw_rt_strerror(), "fw_rt_group_open_shared") != NULL);
}

/* In the group that `group` is, and dies with its lock. */
static void has_a_lock(fw_rt_group *group)
{
    fw_rt_task *task = begin_task(group, NULL, cpus[0], 5, "a");

    CHECK(fw_rt_lock(task, 0) == 0);
}

static void enters_roots(void *nothing)
{
    (void)nothing;
    become_nobody();
    is_refused();
    has_a_lock(open_shared());
}

static void makes_its_own(void *nothing)
{
    (void)nothing;
    become_nobody();
    has_a_lock(open_shared());
}

static void makes_its_private_one(void *nothing)
{
    fw_rt_group *group;

    (void)nothing;
    become_nobody();
    CHECK(fw_rt_group_open(&group, name, FW_RT_TIER_A) == 0);
}

/* Locks what another user's task has died with. */
static void goes_on(fw_rt_group *group)
{
    fw_rt_task *task = begin_task(group, NULL, cpus[0], 4, "a");

    expect_death(task, fw_rt_lock(task, 0));
    CHECK(fw_rt_task_end(task) == 0);
    CHECK(fw_rt_group_close(group) == 0);
    CHECK(fw_region_remove(name) == 0);
}

static void what_makes_no_sense(void)
{
    fw_rt_group *group;

    CHECK(fw_rt_group_open_shared(&group, NULL, FW_RT_TIER_A, 0660) == EINVAL);
    CHECK(fw_rt_group_open_shared(&group, name, FW_RT_TIER_A, 0) == EINVAL);
    CHECK(fw_rt_group_open_shared(&group, name, FW_RT_TIER_A, 01777) == EINVAL);
    CHECK(strstr(fw_rt_strerror(), "01777") != NULL);
}

int main(void)
{
    fw_rt_group *group;

    if (geteuid() != 0)
        skip("only root can become another user");
    choose_cpus();
    protocol = FW_RT_PCP_DU;
    snprintf(name, sizeof name, "/furwock-rt-users-%d", (int)getpid());
    umask(0);
    what_makes_no_sense();
    CHECK(fw_rt_group_open(&group, NULL, FW_RT_TIER_A) == 0);
    CHECK(fw_rt_task_end(begin_task(group, NULL, cpus[0], 5, "a")) == 0); /* or nobody could */
    CHECK(fw_rt_group_close(group) == 0);

    group = open_shared(); /* root's, for all */
    finish(start(enters_roots, NULL));
    goes_on(group);

    finish(start(makes_its_own, NULL)); /* another user's, for all */
    is_refused();
    goes_on(open_shared());

    finish(start(makes_its_private_one, NULL));
    is_refused();
    CHECK(fw_region_remove(name) == 0);
    return 0;
}
